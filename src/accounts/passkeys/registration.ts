import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { Refused, refusal } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { type RelyingParty, requireRelyingParty } from '../identity/relying-party.ts'
import { type Attestation, addForm } from './forms.ts'
import type { Descriptors, NewCredential } from './passkey.ts'
import {
  CHALLENGE_LIFE,
  type Checked,
  checked,
  takeChallenge,
  webauthn,
  webauthnHelpers,
} from './webauthn.ts'

/**
 * An authenticator's response to the challenge of a form, and the name of the new passkey.
 * @throws Refused; but for the name, whoever is refused begins again
 */
export async function madeIn(request: FastifyRequest, reply: FastifyReply) {
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

/** As the CHECK of the table has them (WebAuthn Level 3, 5.8.4). */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** COSE algorithms that authenticators have: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257]

/**
 * What a browser needs to have a passkey made, a new challenge among it.
 * @param handle under which name authenticators know the person; they list what they sign in with
 * @param known the person's passkeys: authenticators that have one make no second
 */
export async function attestationOptions(
  party: RelyingParty,
  { email, displayName }: Person,
  handle: Buffer,
  known: Descriptors,
) {
  const { generateRegistrationOptions } = await webauthn()
  return generateRegistrationOptions({
    rpName: 'Handup',
    rpID: party.id,
    userID: new Uint8Array(handle),
    userName: email ?? displayName,
    userDisplayName: displayName,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: CHALLENGE_LIFE,
  })
}

/** Checks what an authenticator made, as WebAuthn Level 3, 7.1, says. */
export async function checkAttestation(
  party: RelyingParty,
  { id, response }: Attestation,
  challenge: string,
): Promise<Checked<NewCredential>> {
  return checked(async () => {
    await refuseCertificates(response.attestationObject)
    const { verifyRegistrationResponse } = await webauthn()
    const { clientDataJSON, attestationObject } = response
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('the attestation is wrong')
    const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo
    if (credential.id !== id) throw new Error('the key has another name')
    return {
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: TRANSPORTS.filter((transport) => response.transports?.includes(transport)),
      is_backup_eligible: credentialDeviceType === 'multiDevice',
      is_backed_up: credentialBackedUp,
    }
  })
}

/**
 * We ask who made no authenticator, and browsers leave it out. A client that sends certificates all the same would make the library
 * fetch revocation lists from addresses in them: the forum fetches nothing that a stranger names (OWASP ASVS 5.0, 1.3.6).
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await webauthnHelpers()
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const isPlain = decoded.get('fmt') === 'none' && decoded.get('attStmt').size === 0
  const isSelfSigned = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined
  if (!isPlain && !isSelfSigned) throw new Error('certificates were not asked for')
}
