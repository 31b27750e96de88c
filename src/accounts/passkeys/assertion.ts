import type { RelyingParty } from '../identity/relying-party.ts'
import { CHALLENGE_LIFE } from './challenges.ts'
import type { Assertion } from './forms.ts'
import type { Descriptor, KnownCredential } from './queries.ts'
import { type Checked, checked, webauthn } from './webauthn.ts'

/** What a passkey said of itself as it signed. */
export interface Signed {
  readonly counter: number
  readonly isBackedUp: boolean
}

/**
 * What a browser needs to ask for a signature, a new challenge among it.
 * @param allowed empty: any passkey for this forum
 */
export async function assertionOptions(party: RelyingParty, allowed: readonly Descriptor[]) {
  const { generateAuthenticationOptions } = await webauthn()
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: allowed.map(({ id, transports }) => ({ id, transports: [...transports] })),
    userVerification: 'required',
    timeout: CHALLENGE_LIFE,
  })
}

/**
 * Checks a signature as WebAuthn Level 3, 7.2, says: challenge, origin, host, presence and verification of the user, the key, its
 * counter, and that the authenticator means the person whose key it is.
 */
export async function checkAssertion(
  party: RelyingParty,
  known: KnownCredential,
  { id, response: { userHandle, ...signed } }: Assertion,
  challenge: string,
): Promise<Checked<Signed>> {
  return checked(async () => {
    if (userHandle !== undefined && !Buffer.from(userHandle, 'base64url').equals(known.handle))
      throw new Error('the authenticator means somebody else')
    const { verifyAuthenticationResponse } = await webauthn()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
    })
    if (!verified) throw new Error('the signature is wrong')
    if ((authenticationInfo.credentialDeviceType === 'multiDevice') !== known.isBackupEligible)
      throw new Error('the key has become another kind')
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  })
}
