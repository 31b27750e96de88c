import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'

/** What every authenticator app takes: RFC 6238 with SHA-1, 6 digits, half minutes. */
const PERIOD = 30

/** Half minutes that a clock may be off, either way. */
const WINDOW = 1

/** 160 bits, as RFC 4226 (4, R6) recommends. */
export const SECRET_BYTES = 20

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES)

/**
 * The secret in groups of four, and an otpauth: address, also as a QR code.
 * @param account as the app shows it
 */
export function appSetUp(secret: Buffer, account: string, issuer: string) {
  const totp = totpOf(secret, account, issuer)
  const typed = totp.secret.base32.replace(/(.{4})(?=.)/g, '$1 ')
  const address = totp.toString()
  return { secret: typed, address, qr: qrOf(address) }
}

/** Which half minute a code of six digits belongs to; null: none of now. */
export function stepOf(secret: Buffer, code: string, now = Date.now()): number | null {
  const delta = totpOf(secret).validate({ token: code, window: WINDOW, timestamp: now })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD) + delta
}

/** The code of this half minute, as an app shows it. */
export function codeAt(secret: Buffer, now = Date.now()): string {
  return totpOf(secret).generate({ timestamp: now })
}

/**
 * How many modules a side has, and the dark ones as the path of an SVG; with the quiet zone of four modules that ISO/IEC 18004 wants.
 */
function qrOf(text: string) {
  const { size, data } = encode(text, { border: 4 })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: dark.join('') }
}

function totpOf(secret: Buffer, label = '', issuer = ''): TOTP {
  return new TOTP({
    issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  })
}
