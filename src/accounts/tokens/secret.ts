import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** By which scanners of published secrets know ours: API tokens; and codes, access tokens and refresh tokens of apps. */
const PREFIXES = { api: 'handup_', code: 'handup_ac_', access: 'handup_at_', refresh: 'handup_rt_' } as const
export type SecretKind = keyof typeof PREFIXES

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62 to the 30th is 178 bits. */
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new secret: the prefix, 178 random bits, and a checksum, so that what was mistyped is known without looking it up. */
export function newSecret(kind: SecretKind): string {
  const secret = randomDigits(SECRET_LENGTH)
  return `${PREFIXES[kind]}${secret}${checksumOf(secret)}`
}

/** Whether a text can be such a secret: its form and its checksum are right. */
export function isSecret(kind: SecretKind, text: string): boolean {
  const digits = text.startsWith(PREFIXES[kind]) ? text.slice(PREFIXES[kind].length) : ''
  return FORM.test(digits) && digits.endsWith(checksumOf(digits.slice(0, -CHECKSUM_LENGTH)))
}

/** CRC-32 in base 62, six digits. */
function checksumOf(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`
    rest = Math.floor(rest / DIGITS.length)
  }
  return digits
}

/** Each digit is as likely as the others: bytes above the last whole multiple of 62 are left out. */
function randomDigits(length: number): string {
  const limit = 256 - (256 % DIGITS.length)
  let digits = ''
  while (digits.length < length)
    for (const byte of randomBytes(length))
      if (byte < limit && digits.length < length) digits += DIGITS[byte % DIGITS.length]
  return digits
}
