import type { FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import type { Account } from '../../kernel/operation.ts'
import { type LockedPerson, lockSignedIn } from './lock.ts'

/** One's own account, locked, in a session that has not ended. */
export interface OwnAccount extends Account, LockedPerson, InSession {}

/** How operations find it. @throws NeedsSignIn when the session has ended meanwhile */
export async function ownAccount(write: Write, { personId, sessionToken }: InSession): Promise<OwnAccount> {
  const person = await lockSignedIn(write, personId, sessionToken)
  return { ...person, accountId: person.id, personId, sessionToken }
}

/** The same with what else the key names: one of their devices, a token's number. */
export async function ownWith<Key extends InSession>(write: Write, key: Key) {
  return { ...key, ...(await ownAccount(write, key)) }
}

/** What somebody does to their own account: in a session that has not ended before it is done (lock.ts, lockSignedIn). */
export interface InSession {
  readonly personId: number
  readonly sessionToken: string | null
}

/** @throws NeedsSignIn for a visitor */
export function sessionOf(request: FastifyRequest): InSession {
  return { personId: request.requirePerson().id, sessionToken: request.sessionToken }
}
