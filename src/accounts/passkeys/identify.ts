import type { FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import type { Access } from '../identity/access.ts'
import type { Guesses } from '../identity/guesses.ts'
import type { RelyingParty } from '../identity/relying-party.ts'
import { checkAssertion } from './assertion.ts'
import { markUsed } from './commands.ts'
import type { Assertion } from './forms.ts'
import { findCredential } from './queries.ts'

/** Who signed; or why nobody did: 'wait' for a number of seconds after too many wrong signatures. */
export type Identified = Access | { readonly wait: number } | { readonly refused: true }

/**
 * Whose passkey signed a challenge. Wrong signatures are counted by account and network, as passwords are.
 * @param ownerId whose it has to be; null: anybody's
 */
export async function identify(
  request: FastifyRequest,
  guesses: Guesses,
  party: RelyingParty,
  {
    assertion,
    challenge,
    ownerId,
  }: {
    readonly assertion: Assertion
    readonly challenge: string
    readonly ownerId: number | null
  },
): Promise<Identified> {
  const { db } = request.server
  const refuse = (reason: string, personId: number | null): Identified => {
    noteEvent(request, 'sign-in-refused', { way: 'passkey', personId, reason })
    return { refused: true }
  }
  const known = await findCredential(db, assertion.id)
  if (known === null) return refuse('nobody has it', ownerId)
  const { personId, passkeyId, accessVersion } = known
  if (ownerId === null && assertion.response.userHandle === undefined)
    return refuse('it names nobody', personId)
  if (ownerId !== null && personId !== ownerId) return refuse('it is somebody else’s', ownerId)
  const guessed = { personId, what: 'passkey' } as const
  const seconds = await guesses.wait(guessed, request.ip)
  if (seconds !== null) return { wait: seconds }
  const signed = await checkAssertion(party, known, assertion, challenge)
  if (!signed.ok) return refuse(signed.reason, personId)
  if (!(await markUsed(db, passkeyId, signed.value))) return refuse('its counter went back', personId)
  await guesses.forget(guessed, request.ip)
  return { personId, accessVersion }
}
