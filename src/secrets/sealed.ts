import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretKeys } from './keys.ts'

/** AES-256-GCM with its recommended sizes in bytes (NIST SP 800-38D). */
const ALGORITHM = 'aes-256-gcm'
const [KEY_BYTES, NONCE_BYTES, TAG_BYTES] = [32, 12, 16]

/** The first byte of what is sealed: how to read the rest, which is nonce, tag and ciphertext. */
const FORMAT = Buffer.of(1)

/** Bytes that sealing adds to the text. */
export const SEAL_BYTES = FORMAT.length + NONCE_BYTES + TAG_BYTES

/**
 * Encrypts a secret that must be read back, for a column of type bytea. It opens only for the same purpose and row, so that
 * a value copied into another row is worth nothing there.
 * @param purpose what it is, such as `second-factor`: each has a key of its own, derived from SECRET by HKDF
 */
export function seal(keys: SecretKeys, purpose: string, rowId: number | string, plain: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, keyOf(keys[0], purpose), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(rowOf(purpose, rowId))
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), text])
}

/** The text of what `seal` made; null: with none of these keys, or for another purpose or row, or it was damaged. */
export function open(
  keys: SecretKeys,
  purpose: string,
  rowId: number | string,
  sealed: Buffer,
): string | null {
  if (sealed.length < SEAL_BYTES || !sealed.subarray(0, FORMAT.length).equals(FORMAT)) return null
  for (const secret of keys) {
    const plain = openWith(secret, purpose, rowId, sealed)
    if (plain !== null) return plain
  }
  return null
}

/** The same value, sealed with the first key; null: it is already, or no key opens it. */
export function reseal(
  keys: SecretKeys,
  purpose: string,
  rowId: number | string,
  sealed: Buffer,
): Buffer | null {
  if (open([keys[0]], purpose, rowId, sealed) !== null) return null
  const plain = open(keys, purpose, rowId, sealed)
  return plain === null ? null : seal(keys, purpose, rowId, plain)
}

function openWith(secret: string, purpose: string, rowId: number | string, sealed: Buffer): string | null {
  const [nonceAt, tagAt] = [FORMAT.length, FORMAT.length + NONCE_BYTES]
  const nonce = sealed.subarray(nonceAt, tagAt)
  const decipher = createDecipheriv(ALGORITHM, keyOf(secret, purpose), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(rowOf(purpose, rowId))
  decipher.setAuthTag(sealed.subarray(tagAt, SEAL_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(SEAL_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

/** RFC 5869. SECRET is random, so it needs no salt. */
function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `handup sealed ${purpose}`, KEY_BYTES))
}

function rowOf(purpose: string, rowId: number | string): Buffer {
  return Buffer.from(`${purpose}\0${rowId}`)
}
