import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SecretKeys } from '../secrets/keys.ts'

/** Hexadecimal digits of the key: 80 bits. With the longest name and number an address has 62 characters before the @, of 64. */
const KEY_LENGTH = 20

/**
 * The envelope sender of a mail, which mail servers send a report to when they can't deliver it: `reply+b12-KEY@host`. Only the forum
 * and who got the mail know the key.
 * @param replyAddress REPLY_ADDRESS
 */
export function returnAddressOf(secret: string, replyAddress: string, mailId: number): string {
  const [name = '', host = ''] = replyAddress.split('@')
  return `${name}+b${mailId}-${keyOf(secret, mailId)}@${host}`
}

/** The id of the mail that one of these addresses was made for, with any of the keys; null: none was. */
export function returnedMailId(
  keys: SecretKeys,
  replyAddress: string,
  addresses: readonly string[],
): number | null {
  const [name = '', host = ''] = replyAddress.toLowerCase().split('@')
  for (const address of addresses) {
    const [local = '', domain] = address.toLowerCase().split('@')
    const [, id = '', key = ''] = /^\+b(\d{1,15})-([0-9a-f]+)$/.exec(local.slice(name.length)) ?? []
    if (domain !== host || !local.startsWith(name) || key.length !== KEY_LENGTH) continue
    const isOurs = keys.some((secret) =>
      timingSafeEqual(Buffer.from(key), Buffer.from(keyOf(secret, Number(id)))),
    )
    if (isOurs) return Number(id)
  }
  return null
}

function keyOf(secret: string, mailId: number): string {
  return createHmac('sha256', secret)
    .update(`handup returned mail ${mailId}`)
    .digest('hex')
    .slice(0, KEY_LENGTH)
}
