import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import { type Asking, askingOf, refuseFormOfStranger } from '../identity/reauthentication.ts'
import { readerTimeZone } from '../settings/reader-time-zone.ts'
import { dayAhead, ownTokenForm, SCOPES, USUAL_DAYS, withScopes } from './form.ts'
import { ownTokenEnd, ownTokenMaking } from './operations.ts'
import { type MadeToken, type TokenRow, tokenRows } from './rows.ts'
import { coursesForTokens, listTokens } from './token.ts'

/** A person's tokens, and the form for another: views/tokens/index.eta. */
interface TokensPage extends Asking, InSettings {
  readonly tokens: readonly TokenRow[]
  readonly made: MadeToken | null
  readonly form: FormState
  readonly scopes: readonly { readonly name: string; readonly isChosen: boolean }[]
  readonly courses: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
}

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
  return reply.page<TokensPage>(
    'tokens/index',
    {
      title: t('tokens.title'),
      ...settingsNav(request, PATH),
      ...(await askingOf(request, person, 'key')),
      tokens: tokenRows(request, tokens, { path: PATH, timeZone: await readerTimeZone(request) }),
      ...{ made, form },
      scopes: SCOPES.map((name) => ({ name, isChosen: chosen.includes(name) })),
      courses: [option('', t('tokens.course.all')), ...courses.map(({ slug, title }) => option(slug, title))],
    },
    { status, showsTexts: true },
  )
}
