import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Once } from '../operations/posted-once.ts'

/**
 * The key of a form as it was sent: who (null: a visitor), where, and every field, the form's own `_csrf` token included, which is new on
 * each page and bound to the browser of a visitor. So the same words from two pages are two posts, and a double click is one.
 */
export function onceOf(request: FastifyRequest, personId: number | null): Once {
  const fields = Object.entries(request.body ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  const path = request.url.split('?')[0]
  const key = createHash('sha256')
    .update(JSON.stringify([personId, path, fields]))
    .digest()
  return { key, personId }
}
