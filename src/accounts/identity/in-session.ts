import type { FastifyRequest } from 'fastify'

/** What somebody does to their own account: in a session that has not ended before it is done (lock.ts, lockSignedIn). */
export interface InSession {
  readonly personId: number
  readonly sessionToken: string | null
}

/** @throws NeedsSignIn for a visitor */
export function sessionOf(request: FastifyRequest): InSession {
  return { personId: request.requirePerson().id, sessionToken: request.sessionToken }
}
