import type { FastifyReply, FastifyRequest } from 'fastify'
import { providerFace } from '../../text/face.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { localPath, pathWith, signInWithPath } from '../../web/paths.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'

/**
 * The form to sign in, and its buttons for passkeys, where this forum can have them, and for providers. `isRequired`: everyone but admins
 * has to use one of these.
 */
export async function showSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  status = 200,
) {
  const t = translatorFor(request)
  const next = localPath(form.typed.next)
  const query = { next: next === '/' ? null : next }
  const usable = await request.server.providers.usable()
  const takesPasskeys = relyingPartyOf(request.server.config.baseUrl) !== null
  const page = {
    title: t('accounts.signIn.title'),
    form,
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
  }
  return reply.page<typeof page>('accounts/sign-in', page, {
    status,
    ...(takesPasskeys && { script: 'passkeys' }),
  })
}

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
