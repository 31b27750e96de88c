import type { FastifyRequest } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { merged } from '../../text/merged.ts'
import type { PostKey } from './kinds.ts'
import { findKeptText } from './versions.ts'

/**
 * A text with the changes of two people, where both began with the same version and changed different lines; null where that
 * cannot be said.
 * @param version the one that the later form began with
 */
export async function mergeOf(
  db: Database,
  post: PostKey,
  version: number,
  { mine, theirs }: { readonly mine: string; readonly theirs: string },
): Promise<string | null> {
  const base = await findKeptText(db, post, version)
  if (base === null) return null
  const both = merged(mine, base.body, theirs)
  return both === mine || both === theirs ? null : both
}

/** On the page of a conflict the merged text has a field and a button of its own: it becomes the text that was sent. */
export function takeMerged(request: FastifyRequest): void {
  const { body } = request
  if (typeof body !== 'object' || body === null || !('take' in body) || body.take !== 'merged') return
  if ('merged' in body && typeof body.merged === 'string') request.body = { ...body, body: body.merged }
}
