import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { queryParam } from '../../web/params.ts'
import { localPath, pathWith } from '../../web/paths.ts'
import { signInForm } from '../identity/forms.ts'
import type { Guesses } from '../identity/guesses.ts'
import { providerOfSession } from '../sessions/sessions.ts'
import { welcome } from '../sessions/welcome.ts'
import { authenticate } from './authenticate.ts'
import { showSignIn } from './sign-in-page.ts'

/** Signing in and out. No operations: only a session begins or ends. */
export function registerSignIn(app: FastifyInstance, guesses: Guesses): void {
  app.get('/sign-in', async (request, reply) => {
    const next = localPath(queryParam(request, 'next'))
    if (request.person !== null) return reply.redirect(next, 303)
    return showSignIn(request, reply, freshForm({ next }))
  })

  app.post('/sign-in', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = signInForm.parse(request.body)
    if (!form.ok) return showSignIn(request, reply, form, 422)
    const { email, password, next } = form.values
    const seconds = await guesses.wait({ email }, request.ip)
    if (seconds !== null) return showLimited(request, reply, form, seconds)
    const access = await authenticate(app.db, email, password)
    if (access === null) {
      noteEvent(request, 'sign-in-refused', { way: 'password' })
      return showSignIn(request, reply, refuse(form, 'password', 'accounts.signIn.wrong'), 422)
    }
    await guesses.forget({ email }, request.ip)
    return welcome(request, reply, {
      ...access,
      way: 'password',
      path: localPath(next),
      flash: 'accounts.flash.signedIn',
    })
  })

  app.post('/sign-out', { preValidation: leaveAtOnce }, async (request, reply) => {
    const personId = request.requirePerson().id
    const provider = await providerOfSession(request)
    await reply.signOut()
    noteEvent(request, 'sign-out', { personId })
    // There they may be signed in still: the page says how to sign out of it, too.
    if (provider !== null) return reply.redirect(pathWith('/sign-out', { with: provider }), 303)
    return reply.flash('accounts.flash.signedOut').redirect('/', 303)
  })
}

/** Whose session has ended is out already: there is nothing to protect, and "this form is too old" would help nobody. */
async function leaveAtOnce(request: FastifyRequest, reply: FastifyReply) {
  if (request.person === null) return reply.flash('accounts.flash.signedOut').redirect('/', 303)
}

/** Too many wrong passwords: the page says how long to wait, and keeps the address. */
function showLimited(request: FastifyRequest, reply: FastifyReply, form: FormState, seconds: number) {
  noteEvent(request, 'sign-in-limited', { way: 'password' })
  reply.header('retry-after', String(seconds))
  const minutes = Math.ceil(seconds / 60)
  return showSignIn(request, reply, refuse(form, 'password', 'accounts.signIn.wait', { minutes }), 429)
}
