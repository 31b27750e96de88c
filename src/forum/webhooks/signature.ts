import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/**
 * The headers by which a receiver tells that a message is ours (Standard Webhooks 1.0.0), one signature for each secret.
 * @param secrets `whsec_` and base64, as receivers have them
 */
export function signedHeaders(id: string, at: Date, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
