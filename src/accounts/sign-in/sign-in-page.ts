import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Face, providerFace } from '../../text/face.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { localPath, pathWith, signInWithPath } from '../../web/paths.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'

interface SignInPage {
  readonly form: FormState
  /** Where signing in leads: a path of ours. */
  readonly next: string
  readonly why: Why
  readonly signUpPath: string
  /** Of the masthead's link: this page, not this page leading to this page. */
  readonly signInPath: string
  /** Providers to sign in with: where their buttons lead. */
  readonly providers: readonly { readonly label: string; readonly path: string; readonly face: Face }[]
  /** Whether everyone but admins has to use one of them. */
  readonly isRequired: boolean
  /** Whether this forum can have passkeys. */
  readonly takesPasskeys: boolean
}

/** The form to sign in, and its button for passkeys. */
export async function showSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  status = 200,
) {
  const t = translatorFor(request)
  const next = localPath(form.typed.next)
  const query = { next: next === '/' ? null : next }
  const paths = { signUpPath: pathWith('/sign-up', query), signInPath: pathWith('/sign-in', query) }
  const usable = await request.server.providers.usable()
  const isRequired = usable.some((provider) => provider.isRequired)
  const providers = usable.map((provider) => ({
    label: provider.label,
    path: signInWithPath(provider.name, next),
    face: providerFace(provider),
  }))
  const takesPasskeys = relyingPartyOf(request.server.config.baseUrl) !== null
  return reply.page<SignInPage>(
    'accounts/sign-in',
    {
      title: t('accounts.signIn.title'),
      form,
      next,
      why: whyOf(next),
      ...paths,
      providers,
      isRequired,
      takesPasskeys,
    },
    { status, ...(takesPasskeys && { script: 'passkeys' }) },
  )
}

/** For parsing paths, which have no origin. */
const BASE = 'http://forum.invalid'

/** Why somebody is on the page to sign in: a message each, `accounts.signIn.why.*`. */
export type SignInReason = 'ask' | 'vote' | 'answer' | 'reply' | 'kept'

/** Where the votes of a question, and of an answer, are on its page: links to sign in lead back there. */
export const QUESTION_VOTE = 'vote'
export const answerVote = (answerId: number) => `vote-answer-${answerId}`

/** For views/accounts/_why.eta. */
export interface Why {
  readonly reason: SignInReason | null
  /** What they wrote waits for them on the page that signing in leads to. */
  readonly isTextKept: boolean
}

/** @param next a path of ours (localPath) */
export function whyOf(next: string): Why {
  return { reason: signInReason(next), isTextKept: new URL(next, BASE).searchParams.has('kept') }
}

/**
 * What somebody wanted to do, by where signing in leads.
 * @returns null when nothing but reading is known of it
 */
function signInReason(next: string): SignInReason | null {
  const { pathname, searchParams, hash } = new URL(next, BASE)
  if (pathname === '/questions/new') return 'ask'
  if (hash === `#${QUESTION_VOTE}` || hash.startsWith('#vote-answer-')) return 'vote'
  if (hash === '#answer') return 'answer'
  if (/^#reply-(question|answer-\d+)$/.test(hash) || searchParams.get('form')?.startsWith('reply-'))
    return 'reply'
  return searchParams.has('kept') ? 'kept' : null
}
