import { hash } from 'node:crypto'

/** The strong ETag (RFC 9110, 8.8.3) of a text. */
export function entityTag(text: string): string {
  return `"${hashOf(text)}"`
}

/** What @fastify/etag puts between the quotes. */
export function hashOf(payload: string | Buffer): string {
  return hash('sha1', payload, 'base64')
}
