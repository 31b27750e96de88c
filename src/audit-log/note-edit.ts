import type { FastifyRequest } from 'fastify'
import { noteEvent } from './note.ts'

/** Logs that staff edited another person's post; people's edits of their own posts are visible on the page. */
export function noteEdit(
  request: FastifyRequest,
  kind: 'question' | 'answer' | 'reply',
  { id, authorId }: { readonly id: number; readonly authorId: number },
): void {
  if (request.person?.id !== authorId) noteEvent(request, 'post-edited', { kind, id, authorId })
}
