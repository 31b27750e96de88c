import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { providerFace } from '../../text/face.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { localPath, pathWith, signInWithPath } from '../../web/paths.ts'
import { signInForm } from '../identity/forms.ts'
import { refuseGuess } from '../identity/guesses.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import { providerOfSession } from '../sessions/sessions.ts'
import { welcome } from '../sessions/welcome.ts'
import { authenticate } from './authenticate.ts'

/**
 * The form to sign in, and its buttons for passkeys, where this forum can have them, and for providers. `isRequired`: everyone but admins
 * has to use one of these.
 */
export const showSignIn = page('accounts/sign-in', {}, async (context, form: FormState) => {
  const { t, server, config } = context
  const next = localPath(form.typed.next)
  const query = { next: next === '/' ? null : next }
  const usable = await server.providers.usable()
  const takesPasskeys = relyingPartyOf(config.baseUrl) !== null
  return {
    title: t('accounts.signIn.title'),
    form,
    fields: context.formFields('signIn', signInForm.fields, form, { email: { autofocus: true } }),
    next,
    why: whyOf(next),
    signUpPath: pathWith('/sign-up', query),
    // Of the masthead's link: this page, not this page leading to this page.
    signInPath: pathWith('/sign-in', query),
    providers: usable.map((provider) => ({
      label: provider.label,
      path: signInWithPath(provider.name, next),
      face: providerFace(provider),
    })),
    isRequired: usable.some((provider) => provider.isRequired),
    takesPasskeys,
    head: { script: takesPasskeys ? 'passkeys' : undefined },
  }
})

/** For parsing paths, which have no origin. */
const BASE = 'http://forum.invalid'

/** Where the votes of a question, and of an answer, are on its page: links to sign in lead back there. */
export const QUESTION_VOTE = 'vote'
export const answerVote = (answerId: number) => `vote-answer-${answerId}`

/**
 * Why somebody is on the page to sign in: views/accounts/_why.eta. `isTextKept`: what they wrote waits for them on the page that signing in
 * leads to.
 * @param next a path of ours (localPath)
 */
export function whyOf(next: string) {
  return { reason: reasonFor(next), isTextKept: new URL(next, BASE).searchParams.has('kept') }
}

/**
 * What somebody wanted to do, by where signing in leads: a message each, `accounts.signIn.why.*`.
 * @returns null when nothing but reading is known of it
 */
function reasonFor(next: string) {
  const { pathname, searchParams, hash } = new URL(next, BASE)
  if (pathname === '/questions/new') return 'ask'
  if (hash === `#${QUESTION_VOTE}` || hash.startsWith('#vote-answer-')) return 'vote'
  if (hash === '#answer') return 'answer'
  if (/^#reply-(question|answer-\d+)$/.test(hash) || searchParams.get('form')?.startsWith('reply-'))
    return 'reply'
  return searchParams.has('kept') ? 'kept' : null
}

/** Signing in and out. No operations: only a session begins or ends. */
export function registerSignIn(app: FastifyInstance): void {
  app.get('/sign-in', async (request, reply) => {
    const next = localPath(queryParam(request, 'next'))
    if (request.person !== null) return reply.redirect(next, 303)
    return showSignIn(request, reply, freshForm({ next }))
  })

  app.post('/sign-in', { config: { limit: 'signIn' } }, async (request, reply) => {
    const form = signInForm.parse(request.body)
    if (!form.ok) return showSignIn(request, reply.code(422), form)
    const { email, password, next } = form.values
    const seconds = await app.guesses.wait({ email }, request.ip)
    if (seconds !== null) {
      noteEvent(request, 'sign-in-limited', { way: 'password' })
      return showSignIn(request, reply, refuseGuess(reply, seconds, form, 'password', 'accounts.signIn.wait'))
    }
    const access = await authenticate(app.db, email, password)
    if (access === null) {
      noteEvent(request, 'sign-in-refused', { way: 'password' })
      return showSignIn(request, reply.code(422), refuse(form, 'password', 'accounts.signIn.wrong'))
    }
    await app.guesses.forget({ email }, request.ip)
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
