import type { SecretKeys } from '../../secrets/keys.ts'
import { open, seal } from '../../secrets/sealed.ts'
import { SECRET_BYTES } from './totp.ts'

/** The purpose that authenticator secrets are sealed for. */
export const PURPOSE = 'second-factor'

/** The secret of a person's app, as it is stored. */
export function sealSecret(keys: SecretKeys, personId: number, secret: Buffer): Buffer {
  return seal(keys, PURPOSE, personId, secret.toString('hex'))
}

/** The secret in a stored value; null: no key opens it. */
export function openSecret(keys: SecretKeys, personId: number, stored: Buffer): Buffer | null {
  if (isPlain(stored)) return stored
  const hex = open(keys, PURPOSE, personId, stored)
  return hex === null ? null : Buffer.from(hex, 'hex')
}

/** Stored by a version that didn't seal secrets. */
export function isPlain(stored: Buffer): boolean {
  return stored.length === SECRET_BYTES
}
