import type { FastifyRequest } from 'fastify'
import { noteEvent } from './note.ts'

/** Notes that staff edited what somebody else wrote; what people do with their own posts is on the page. */
export function noteEdit(
  request: FastifyRequest,
  kind: 'question' | 'answer' | 'reply',
  { id, authorId }: { readonly id: number; readonly authorId: number },
): void {
  if (request.person?.id !== authorId) noteEvent(request, 'post-edited', { kind, id, authorId })
}
