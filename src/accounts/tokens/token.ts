import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** By which scanners of published secrets know a token of ours. */
const PREFIX = 'handup_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62 to the 30th is 178 bits. */
const SECRET_LENGTH = 30
const CHECKSUM_LENGTH = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new token: the prefix, a secret of 178 random bits, and a checksum, so that what was mistyped is known without looking it up. */
export function newApiToken(): string {
  const secret = randomDigits(SECRET_LENGTH)
  return `${PREFIX}${secret}${checksumOf(secret)}`
}

/** Whether a text can be a token: its form and its checksum are right. */
export function isApiToken(text: string): boolean {
  if (!FORM.test(text)) return false
  const secret = text.slice(PREFIX.length, -CHECKSUM_LENGTH)
  return text.endsWith(checksumOf(secret))
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
