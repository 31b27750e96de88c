import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AddressTaken } from '../../accounts/address/address.ts'
import { FIRST_ACCESS } from '../../accounts/identity/access.ts'
import { showDeadLink } from '../../accounts/identity/dead-link.ts'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { guessableWords } from '../../accounts/identity/queries.ts'
import { isWeakPassword } from '../../accounts/identity/weak-passwords.ts'
import { welcome } from '../../accounts/sessions/welcome.ts'
import {
  courseLanguageOptions,
  courseTimeZoneOptions,
  type Option,
} from '../../accounts/settings/setting-options.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { logSerializers } from '../../web/log-serializers.ts'
import { queryParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { isSetUpToken, setUp } from './set-up.ts'
import { setUpForm } from './set-up-form.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/set-up': SetUpPage
  }
}

export interface SetUpPage {
  readonly form: FormState
  readonly token: string
  readonly languages: readonly Option[]
  readonly timeZones: readonly Option[]
  readonly signInPath: string
}

/** What the page of a dead set-up link says. */
const DEAD_LINK = {
  title: 'accounts.deadSetUp.title',
  text: 'accounts.deadSetUp.text',
  advice: 'accounts.deadSetUp.advice',
}

/** The first page of a brand-new forum: its admin and its first course. The log of the start has the link to it. */
export function registerSetUp(app: FastifyInstance): void {
  app.get('/set-up', { logSerializers }, async (request, reply) => {
    const token = queryParam(request, 'token')
    if (token === null || !(await isSetUpToken(app.db, token))) return showDeadLink(request, reply, DEAD_LINK)
    const form = freshForm({ language: languageOfRequest(request), time_zone: app.config.timeZone })
    return showSetUp(request, reply, token, form)
  })

  app.post('/set-up', { config: { limit: 'signUp' } }, async (request, reply) => {
    const form = setUpForm.parse(request.body)
    const token = form.typed.token ?? ''
    if (!(await isSetUpToken(app.db, token))) return showDeadLink(request, reply, DEAD_LINK)
    if (!form.ok) return showSetUp(request, reply, token, form, 422)
    const {
      display_name: displayName,
      email,
      password,
      title,
      field,
      language,
      time_zone: timeZone,
      lectures,
    } = form.values
    const words = await guessableWords(app.db, app.config.baseUrl, { displayName, email })
    if (isWeakPassword(password, [...words, title, field])) {
      return showSetUp(request, reply, token, refuse(form, 'password', 'accounts.password.weak'), 422)
    }
    const admin = { displayName, email, passwordHash: await hashPassword(password) }
    const done = await setUp(app.db, token, {
      admin,
      course: { title, field, language, timeZone, lectures },
    }).catch(takenOf)
    if (done === 'taken')
      return showSetUp(request, reply, token, refuse(form, 'email', 'accounts.setUp.taken'), 422)
    if (done === null) return showDeadLink(request, reply, DEAD_LINK)
    noteEvent(request, 'set-up', { personId: done.adminId })
    const path = coursePath(done.courseSlug)
    return welcome(request, reply, {
      personId: done.adminId,
      accessVersion: FIRST_ACCESS,
      way: 'set-up',
      path,
      flash: 'accounts.flash.setUp',
    })
  })
}

function takenOf(error: unknown): 'taken' {
  if (error instanceof AddressTaken) return 'taken'
  throw error
}

function showSetUp(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  form: FormState,
  status = 200,
) {
  const language = languageOfRequest(request)
  const t = translatorOf(language)
  reply.header('cache-control', 'private, no-store')
  return reply.page(
    'accounts/set-up',
    {
      title: t('accounts.setUp.pageTitle'),
      form,
      token,
      languages: courseLanguageOptions(form.typed.language ?? ''),
      timeZones: courseTimeZoneOptions(language, form.typed.time_zone ?? ''),
      signInPath: '/sign-in',
    },
    { status, script: 'timeZones' },
  )
}
