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
