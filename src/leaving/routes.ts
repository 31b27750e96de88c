import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { circumstancesOf } from '../accounts/circumstances.ts'
import type { Guesses } from '../accounts/guesses.ts'
import { sessionOf } from '../accounts/in-session.ts'
import { type Asking, askingOf } from '../accounts/password-again.ts'
import type { Person } from '../accounts/person.ts'
import { askWhoItIs } from '../accounts/reauthentication.ts'
import { noteEvent } from '../events/note.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { type FormState, freshForm, refuse } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { leavingForm } from './forms.ts'
import { LastAdmin, leave } from './leave.ts'
import { ownData } from './own-data.ts'

declare module '../web/views.ts' {
  interface Pages {
    'leaving/account': AccountPage
  }
}

export interface AccountPage extends Asking {
  readonly form: FormState
  readonly options: readonly { readonly value: string; readonly text: string; readonly selected: boolean }[]
}

const PATH = '/settings/account'

/** One's own data to take along, and the end of an account. */
export function registerLeaving(app: FastifyInstance, guesses: Guesses): void {
  app.get(PATH, async (request, reply) => showAccount(request, reply, request.requirePerson(), freshForm()))

  app.get(`${PATH}/data`, { config: { limit: 'download' } }, async (request, reply) => {
    const person = request.requirePerson()
    const data = await ownData(app.db, person, app.config.baseUrl)
    noteEvent(request, 'own-data-taken', {})
    return reply
      .header('cache-control', 'private, no-store')
      .header('content-disposition', 'attachment; filename="handup.json"')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(data, null, 2))
  })

  const config = { limit: 'signIn', needsPerson: true, formPage: () => PATH } as const
  app.post(`${PATH}/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const form = leavingForm.parse(request.body)
    if (!form.ok) return showAccount(request, reply, person, form, 422)
    const { posts, current_password: password } = form.values
    const refusal = await askWhoItIs(request, reply, guesses, form, { field: 'current_password', password })
    if (refusal !== null) return showAccount(request, reply, person, refusal.form, refusal.status)
    const formerName = translatorOf(languageOfRequest(request))('leaving.formerName')
    try {
      await leave(app.db, { ...sessionOf(request), posts, formerName }, circumstancesOf(request))
    } catch (error) {
      if (!(error instanceof LastAdmin)) throw error
      return showAccount(request, reply, person, refuse(form, 'posts', 'leaving.lastAdmin'), 422)
    }
    noteEvent(request, 'account-deleted', { posts })
    await reply.signOut()
    return reply.flash('leaving.flash').redirect('/', 303)
  })
}

async function showAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  form: FormState,
  status = 200,
) {
  const t = translatorOf(languageOfRequest(request))
  const options = ['keep', 'delete'].map((value) => ({
    value,
    text: t(`leaving.posts.${value}`),
    selected: value === (form.typed.posts || 'keep'),
  }))
  return reply.page(
    'leaving/account',
    {
      title: t('leaving.title'),
      form,
      options,
      ...(await askingOf(request, person)),
    },
    { status },
  )
}
