import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { choice, line } from '../../kernel/fields.ts'
import { ownData } from '../../kernel/own-data.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { type FormState, form, freshForm, refuse } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { passwordAgain } from '../identity/fields.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import { proofForLeaving } from '../identity/queries.ts'
import { checkPassword, type Refusal, waysToSignInAgain } from '../identity/reauthentication.ts'
import { DEPARTURE, departing, finishDepartures, type PostsOfLeaver } from './departure.ts'
import { accountDeletion } from './leave.ts'

const PATH = '/settings/account'
/** How long the answer waits for posts to be dealt with, in milliseconds. */
const FINISH_TIMEOUT_MS = 3000

/** One's own data to take along, and the end of an account. */
export function registerLeaving(app: FastifyInstance, guesses: Guesses, leaversPosts: PostsOfLeaver): void {
  if (app.changes !== null) app.jobs.start(departing(app.db, leaversPosts))
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

  openForm(app, `${PATH}/delete`, accountDeletion, {
    key: sessionOf,
    formPage: () => PATH,
    async instead(request, reply) {
      const form = leavingForm.parse(request.body)
      if (!form.ok) return showAccount(request, reply, request.requirePerson(), form, 422)
      const { current_password: password, display_name: name } = form.values
      const refusal = await checkIntent(request, reply, guesses, form, { password, name })
      if (refusal === null) return null
      return showAccount(request, reply, request.requirePerson(), refusal.form, refusal.status)
    },
    async shown(_, reply) {
      await finishSoon(app, leaversPosts)
      await reply.signOut()
    },
    done: () => '/',
    flash: () => 'leaving.flash',
    refused: (request, reply, form) => showAccount(request, reply, request.requirePerson(), form, 422),
  })
}

/** What is not done when the answer has waited long enough is done after it. */
async function finishSoon(app: FastifyInstance, leaversPosts: PostsOfLeaver): Promise<void> {
  if (app.changes === null)
    return finishDepartures(app.db, leaversPosts).catch((err) =>
      app.log.warn({ err }, 'a departure is not finished, and is tried again'),
    )
  app.jobs.wake(DEPARTURE)
  await app.jobs.caughtUp(DEPARTURE, FINISH_TIMEOUT_MS)
}

/** @returns null when the leaver showed who they are, and did not press by accident */
async function checkIntent(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  form: FormState,
  { password, name }: { readonly password: string; readonly name: string },
): Promise<Refusal | null> {
  const { id, displayName } = request.requirePerson()
  const proof = await proofForLeaving(request.server.db, id, request.sessionToken)
  // The page says how to sign in again.
  if (proof.by === 'none') return { form, status: 422 }
  if (proof.by === 'password') {
    const typed = { field: 'current_password', password }
    return checkPassword(request, reply, guesses, { id, passwordHash: proof.passwordHash }, form, typed)
  }
  if (name === displayName) return null
  return { form: refuse(form, 'display_name', 'leaving.name.wrong', { name: displayName }), status: 422 }
}

export async function showAccount(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  form: FormState,
  status = 200,
) {
  const t = translatorFor(request)
  const proof = (await proofForLeaving(request.server.db, person.id, request.sessionToken)).by
  const page = {
    title: t('leaving.title'),
    form,
    options: ['keep', 'delete'].map((value) => ({
      value,
      text: t(`leaving.posts.${value}`),
      selected: value === (form.typed.posts || 'keep'),
    })),
    // What they sign in with.
    account: person.email ?? person.displayName,
    proof,
    again: proof === 'none' ? await waysToSignInAgain(contextOf(request)) : [],
    displayName: person.displayName,
    ...settingsNav(contextOf(request), PATH),
  }
  return reply.page('deletion/account', page, { status })
}

/** `current_password` or `display_name`, whichever is asked for: accounts/identity/queries.ts, proofForLeaving. The other may be empty. */
const leavingForm = form({
  posts: choice(['keep', 'delete']),
  current_password: passwordAgain(),
  display_name: line({ min: 0, max: 200 }),
})
