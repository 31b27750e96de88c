import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { Refused, refusal } from '../../operations/refused.ts'
import { requireRelyingParty } from '../identity/relying-party.ts'
import { checkAttestation } from './attestation.ts'
import { takeChallenge } from './challenges.ts'
import type { NewCredential } from './commands.ts'
import { addForm } from './forms.ts'

/**
 * An authenticator's response to the challenge of a form, and the name of the new passkey.
 * @throws Refused; but for the name, whoever is refused begins again
 */
export async function madeIn(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ readonly name: string; readonly made: NewCredential }> {
  const party = requireRelyingParty(request)
  const form = addForm.parse(request.body)
  const asked = { act: 'adding', personId: request.requirePerson().id } as const
  const challenge = await takeChallenge(request, reply, asked)
  if (challenge === null) throw refusal('adding', 'passkeys.late')
  if (!form.ok)
    throw form.errors.some(({ field }) => field === '_passkey')
      ? refusal('adding', 'passkeys.refused')
      : new Refused(form.errors)
  const made = await checkAttestation(party, form.values._passkey, challenge)
  if (made.ok) return { name: form.values.name, made: made.value }
  noteEvent(request, 'passkey-refused', { reason: made.reason })
  throw refusal('adding', 'passkeys.refused')
}
