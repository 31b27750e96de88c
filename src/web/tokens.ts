import { createHash, randomBytes } from 'node:crypto'

/** A new secret of 256 random bits for a cookie or a link: URL-safe text. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database keeps of a token: who reads it there cannot use it. 32 bytes. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
