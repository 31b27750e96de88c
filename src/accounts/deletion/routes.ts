import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { choice, line } from '../../kernel/fields.ts'
import { ownData } from '../../kernel/own-data.ts'
import { type FormState, form, freshForm, refuse } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { passwordAgain } from '../identity/fields.ts'
import { sessionOf } from '../identity/own-account.ts'
import { proofForLeaving } from '../identity/queries.ts'
import { refuseWrong, waysToSignInAgain } from '../identity/reauthentication.ts'
import { DEPARTURE, departing, finishDepartures, type PostsOfLeaver } from './departure.ts'
import { accountDeletion } from './leave.ts'

const PATH = '/settings/account'
/** How long the answer waits for posts to be dealt with, in milliseconds. */
const FINISH_TIMEOUT_MS = 3000

/** One's own data to take along, and the end of an account. */
export function registerLeaving(app: FastifyInstance, leaversPosts: PostsOfLeaver): void {
  if (app.changes !== null) app.jobs.start(departing(app.db, leaversPosts))
  app.get(PATH, (request, reply) => showAccount(request, reply))

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
      if (!form.ok) return showAccount(request, reply.code(422), form)
      const { id, displayName } = request.requirePerson()
      const proof = await proofForLeaving(app.db, id, request.sessionToken)
      const { current_password: password, display_name: name } = form.values
      if (proof.by === 'password') {
        const typed = { field: 'current_password', password }
        return refuseWrong(request, reply, { id, ...proof }, form, typed, showAccount)
      }
      // The page says how to sign in again.
      if (proof.by === 'none') return showAccount(request, reply.code(422), form)
      // Nobody leaves by a press alone.
      if (name === displayName) return null
      const refused = refuse(form, 'display_name', 'leaving.name.wrong', { name: displayName })
      return showAccount(request, reply.code(422), refused)
    },
    async shown(_, reply) {
      await finishSoon(app, leaversPosts)
      await reply.signOut()
    },
    done: () => '/',
    flash: () => 'leaving.flash',
    refused: showAccount,
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

export const showAccount = settingsPage(
  'deletion/account',
  PATH,
  {},
  async (context, form: FormState = freshForm({ posts: 'keep' })) => {
    const { t, formFields, db, sessionToken } = context
    const { id, email, displayName } = context.person()
    const { by: proof } = await proofForLeaving(db, id, sessionToken)
    return {
      title: t('leaving.title'),
      form,
      fields: formFields('leaving', accountDeletion.input, form),
      // What they sign in with.
      account: email ?? displayName,
      proof,
      again: proof === 'none' ? await waysToSignInAgain(context) : [],
      displayName,
    }
  },
)

/** `current_password` or `display_name`, whichever is asked for: accounts/identity/queries.ts, proofForLeaving. The other may be empty. */
const leavingForm = form({
  posts: choice(['keep', 'delete']),
  current_password: passwordAgain(),
  display_name: line({ min: 0, max: 200 }),
})
