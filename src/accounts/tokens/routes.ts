import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import { sessionOf } from '../identity/in-session.ts'
import { listTokens } from './commands.ts'
import { dayAhead, SCOPES, tokenForm, USUAL_DAYS, withScopes } from './form.ts'
import { makeOwnToken, revokeOwnToken } from './own.ts'
import { coursesForTokens } from './queries.ts'
import { type MadeToken, type TokenRow, tokenRows } from './rows.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'tokens/index': TokensPage
  }
}

/** A person's tokens, and the form for another: views/tokens/index.eta. */
export interface TokensPage extends InSettings {
  readonly tokens: readonly TokenRow[]
  readonly made: MadeToken | null
  readonly form: FormState
  readonly scopes: readonly { readonly name: string; readonly isChosen: boolean }[]
  readonly courses: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
}

const PATH = '/settings/tokens' as const

/** Tokens for programs that act for somebody. */
export function registerTokens(app: FastifyInstance): void {
  const config = { limit: 'posting', needsPerson: true, formPage: () => PATH } as const

  app.get(PATH, async (request, reply) => showTokens(request, reply, request.requirePerson(), {}))

  app.post(PATH, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = tokenForm.parse(withScopes(request.body))
    if (!form.ok) return showTokens(request, reply, person, { form, status: 422 })
    const { course: slug, ...wished } = form.values
    const course = (await coursesForTokens(app.db, person)).find((one) => one.slug === slug)
    if (slug !== '' && course === undefined)
      return showTokens(request, reply, person, {
        form: refuse(form, 'course', 'forms.choice'),
        status: 422,
      })
    const made = await makeOwnToken(app.db, sessionOf(request), circumstancesOf(request), {
      ...wished,
      courseId: course?.id ?? null,
      timeZone: timeZoneOf(request, person),
    })
    if (made === null)
      return showTokens(request, reply, person, { form: refuse(form, 'name', 'tokens.many'), status: 422 })
    noteEvent(request, 'token-made', { scopes: wished.scopes.join(' ') })
    return showTokens(request, reply, person, { made: { name: wished.name, token: made } })
  })

  app.post(`${PATH}/:id/end`, { config }, async (request, reply) => {
    const id = idParam(request, 'id')
    const isRevoked = await revokeOwnToken(app.db, sessionOf(request), circumstancesOf(request), id)
    if (!isRevoked) throw notFound()
    noteEvent(request, 'token-revoked', {})
    return reply.flash('tokens.flash.revoked').redirect(PATH, 303)
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
  const t = translatorOf(languageOfRequest(request))
  const tokens = await listTokens(db, { personId: person.id, courseId: null })
  const courses = await coursesForTokens(db, person)
  const chosen = (form.typed.scopes ?? '').split(' ')
  const option = (value: string, text: string) => ({ value, text, selected: form.typed.course === value })
  return reply.page(
    'tokens/index',
    {
      title: t('tokens.title'),
      ...settingsNav(request, PATH),
      tokens: tokenRows(request, tokens, { path: PATH, timeZone: timeZoneOf(request, person) }),
      ...{ made, form },
      scopes: SCOPES.map((name) => ({ name, isChosen: chosen.includes(name) })),
      courses: [option('', t('tokens.course.all')), ...courses.map(({ slug, title }) => option(slug, title))],
    },
    { status, showsTexts: true },
  )
}

function timeZoneOf({ server }: FastifyRequest, person: Person): string {
  return person.timeZone ?? server.config.timeZone
}
