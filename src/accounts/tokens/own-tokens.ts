import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import type { Guesses } from '../identity/guesses.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownAccount, ownWith, sessionOf } from '../identity/own-account.ts'
import { askingOf, refuseFormOfStranger } from '../identity/reauthentication.ts'
import { readerTimeZone } from '../settings/reader-time-zone.ts'
import { dayAhead, ownToken, ownTokenForm, SCOPES, USUAL_DAYS, withScopes } from './form.ts'
import { type MadeToken, tokenRows } from './rows.ts'
import { coursesForTokens, listTokens, makeToken, revokeToken } from './token.ts'

const PATH = '/settings/tokens' as const

/** Tokens for programs that act for somebody, who shows that it is them before one is made. */
export function registerTokens(app: FastifyInstance, guesses: Guesses): void {
  app.get(PATH, async (request, reply) => showTokens(request, reply, request.requirePerson(), {}))

  const own = { formPage: () => PATH, done: () => PATH }
  openForm(app, PATH, ownTokenMaking, {
    ...own,
    key: sessionOf,
    instead(request, reply) {
      request.body = withScopes(request.body)
      const show = (form: FormState, status: number) =>
        showTokens(request, reply, request.requirePerson(), { form, status })
      return refuseFormOfStranger(request, reply, guesses, ownTokenForm, show, 'key')
    },
    input: async (request) => ({
      ...sentFields(request.body),
      time_zone: await readerTimeZone(request),
    }),
    shown: (request, reply, made) => showTokens(request, reply, request.requirePerson(), { made }),
    refused: (request, reply, form) =>
      showTokens(request, reply, request.requirePerson(), { form, status: 422 }),
  })
  openForm(app, `${PATH}/:id/end`, ownTokenEnd, {
    ...own,
    key: (request) => ({ ...sessionOf(request), tokenId: idParam(request, 'id') }),
    flash: () => 'tokens.flash.revoked',
  })
}

async function showTokens(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  {
    form = freshForm({ scopes: 'read', ends: dayAhead(USUAL_DAYS) }),
    made = null,
    status = 200,
  }: { readonly form?: FormState; readonly made?: MadeToken | null; readonly status?: number },
) {
  const { db } = request.server
  const t = translatorFor(request)
  const tokens = await listTokens(db, { personId: person.id, courseId: null })
  const courses = await coursesForTokens(db, person)
  const chosen = (form.typed.scopes ?? '').split(' ')
  const option = (value: string, text: string) => ({ value, text, selected: form.typed.course === value })
  const page = {
    title: t('tokens.title'),
    ...settingsNav(request, PATH),
    ...(await askingOf(request, person, 'key')),
    tokens: tokenRows(request, tokens, { path: PATH, timeZone: await readerTimeZone(request) }),
    ...{ made, form },
    scopes: SCOPES.map((name) => ({ name, isChosen: chosen.includes(name) })),
    courses: [option('', t('tokens.course.all')), ...courses.map(({ slug, title }) => option(slug, title))],
  }
  return reply.page<typeof page>('tokens/index', page, { status, showsTexts: true })
}

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
