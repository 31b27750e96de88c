import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { TokenScope } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { line, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { isDay } from '../../text/dates.ts'
import { type FormState, form, freshForm, sentFields, withBoxes } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownAccount, ownWith, sessionOf } from '../identity/own-account.ts'
import { askingOf, refuseFormOfStranger } from '../identity/reauthentication.ts'
import { type MadeToken, tokenRows } from './rows.ts'
import { coursesForTokens, listTokens, makeToken, revokeToken } from './token.ts'

const SCOPES = ['read', 'write', 'staff'] as const satisfies readonly TokenScope[]

/** How long a token works unless its owner says otherwise, and at most, in days. */
export const USUAL_DAYS = 90
const MAX_DAYS = 366
const DAY_MS = 86_400_000

const name = line({ min: 1, max: 60, short: 'tokens.name.short', long: 'tokens.name.long' }).meta({
  autocomplete: 'off',
})

/** The boxes that are ticked: one field each, of one name. */
const scopes = z.string().transform((text, context): TokenScope[] => {
  const chosen = SCOPES.filter((scope) => text.split(' ').includes(scope))
  if (chosen.length > 0) return chosen
  context.addIssue({ code: 'custom', message: 'tokens.scopes.none' })
  return z.NEVER
})

/** A day from today on, within a year; empty: in USUAL_DAYS. */
const ends = plain
  .transform((typed, context) => {
    if (typed.trim() === '') return dayAhead(USUAL_DAYS)
    // A day ahead: somewhere it is tomorrow already.
    if (isDay(typed) && typed >= dayAhead(0) && typed <= dayAhead(MAX_DAYS)) return typed
    context.addIssue({ code: 'custom', message: 'tokens.ends.wrong' })
    return z.NEVER
  })
  .meta({ format: 'date' })

/** Fields of a personal token. `course`: '' for all. */
const ownToken = { name, scopes, course: z.string().max(100), ends }
export const courseToken = { name, ends }

const ownTokenForm = form(ownToken)
export const courseTokenForm = form(courseToken)

/** The body of a form, with its scopes as one text. `staff` is half of a token without `read`, which comes with it. */
function withScopes(body: unknown): Readonly<Record<string, unknown>> {
  const sent = withBoxes(body, ['scopes'])
  const chosen = String(sent.scopes).split(' ')
  const scopes = chosen.includes('staff') && !chosen.includes('read') ? ['read', ...chosen] : chosen
  return { ...sent, scopes: scopes.join(' ') }
}

/** The day that many days after today, in UTC. */
export function dayAhead(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}

const PATH = '/settings/tokens' as const

/** Tokens for programs that act for somebody, who shows that it is them before one is made. */
export function registerTokens(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showTokens(request, reply))

  const own = { formPage: () => PATH, done: () => PATH }
  openForm(app, PATH, ownTokenMaking, {
    ...own,
    key: sessionOf,
    instead(request, reply) {
      request.body = withScopes(request.body)
      return refuseFormOfStranger(request, reply, ownTokenForm, showTokens, 'key')
    },
    input: async (request) => ({
      ...sentFields(request.body),
      time_zone: await app.timeZoneFor(request),
    }),
    shown: (request, reply, made) => showTokens(request, reply, undefined, made),
    refused: showTokens,
  })
  openForm(app, `${PATH}/:id/end`, ownTokenEnd, {
    ...own,
    key: (request) => ({ ...sessionOf(request), tokenId: idParam(request, 'id') }),
    flash: () => 'tokens.flash.revoked',
  })
}

export const showTokens = settingsPage(
  'tokens/index',
  PATH,
  { showsTexts: true },
  async (context, sent?: FormState, made?: MadeToken) => {
    const { t, formFields, db } = context
    const form = sent ?? freshForm({ scopes: 'read', ends: dayAhead(USUAL_DAYS) })
    const person = context.person()
    const tokens = await listTokens(db, { personId: person.id, courseId: null })
    const courses = await coursesForTokens(db, person)
    const chosen = (form.typed.scopes ?? '').split(' ')
    return {
      title: t('tokens.title'),
      ...(await askingOf(context, 'key')),
      tokens: await tokenRows(context, tokens, PATH),
      ...{ made: made ?? null, form },
      scopes: SCOPES.map((name) => ({ name, isChosen: chosen.includes(name) })),
      fields: formFields('tokens', { name, course: plain, ends }, form, {
        ends: { required: true },
        course: {
          options: [
            { value: '', text: t('tokens.course.all') },
            ...courses.map(({ slug, title }) => ({ value: slug, text: title })),
          ],
        },
      }),
    }
  },
)

/** Makes a token of one's own, which is shown once; its owner is told by email. `time_zone`: in which its last day ends. */
const ownTokenMaking = operation({
  name: 'make-own-token',
  right: 'have-account',
  find: ownAccount,
  input: { ...ownToken, time_zone: plain },
  events: ['token-made'],
  async run({ write, actor, subject, input, note, ...where }) {
    const { course: slug, time_zone: timeZone, ...wished } = input
    const course = (await coursesForTokens(write, personOf(actor))).find((one) => one.slug === slug)
    if (slug !== '' && course === undefined) throw refusal('course', 'forms.choice')
    const owner = { personId: subject.id, courseId: course?.id ?? null }
    const token = await makeToken(write, owner, { ...wished, timeZone })
    if (token === null) throw refusal('name', 'tokens.many')
    await writeTo(write, subject, 'tokenMade', where)
    note('token-made', { scopes: wished.scopes.join(' ') })
    return { name: wished.name, token }
  },
})

/** Revokes a token of one's own; its owner is told by email. */
const ownTokenEnd = operation({
  name: 'revoke-own-token',
  right: 'have-account',
  find: ownWith<InSession & { readonly tokenId: number }>,
  events: ['token-revoked'],
  async run({ write, subject, note, ...where }) {
    const owner = { personId: subject.id, courseId: null }
    if ((await revokeToken(write, owner, subject.tokenId)) === null) throw notFound()
    await writeTo(write, subject, 'tokenRevoked', where)
    note('token-revoked', {})
  },
})
