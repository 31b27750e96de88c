import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorFor } from '../../web/language.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import { codesOf, FAILURE_STATUS, type FailureReason, ProviderFailure } from './failure.ts'
import type { Provider } from './provider.ts'

interface WithFailurePage {
  readonly status: number
  readonly reason: FailureReason
  /** In a sentence; null: it isn't known. */
  readonly cause: string | null
  /** Of the provider. */
  readonly label: string
  /** Begins once more. */
  readonly againPath: string
  /** The other ways to sign in; for who is in already, where they were going. */
  readonly otherPath: string
  readonly isSignedIn: boolean
  /** The way back in the masthead's link: not one that is gone. */
  readonly signInPath: string
}

/**
 * Says why somebody who left for a provider isn't signed in, and what to do. Whatever else went wrong is thrown on.
 * @param path where signing in was to lead
 */
export async function showFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  path: string,
  error: unknown,
) {
  if (!(error instanceof ProviderFailure)) throw error
  const { reason, causedBy } = error
  const status = FAILURE_STATUS[reason]
  // Not the error itself, which may carry what the provider said of the person.
  const cause = causedBy === 'status' ? [causedBy, error.status] : causedBy === null ? [] : [causedBy]
  const why = [provider.name, reason, ...cause, ...codesOf(error)].join(' ')
  noteEvent(request, 'sign-in-refused', { way: 'provider', reason: why })
  const isSignedIn = request.person !== null
  const signInPath = pathWith('/sign-in', { next: path === '/' ? null : path })
  return reply.page<WithFailurePage>(
    'accounts/with-failure',
    {
      title: translatorFor(request)(`accounts.with.failed.${reason}.title`),
      status,
      reason,
      cause:
        causedBy === null
          ? null
          : translatorFor(request)(`providers.cause.${causedBy}`, { status: error.status }),
      label: provider.label,
      againPath: signInWithPath(provider.name, path),
      otherPath: isSignedIn ? path : signInPath,
      isSignedIn,
      signInPath,
    },
    { status },
  )
}
