import type { FastifyRequest } from 'fastify'
import { choice } from '../../operations/fields.ts'
import { Problem } from '../../operations/problem.ts'
import { form } from '../../web/form.ts'

const voteForm = form({ value: choice(['1', '0']) })

/**
 * Whether a form says yes or takes it back: votes and acceptances send the same field.
 * @throws Problem 422 for anything but the two values their buttons have
 */
export function isYes(request: FastifyRequest): boolean {
  const vote = voteForm.parse(request.body)
  if (!vote.ok) throw new Problem('invalid')
  return vote.values.value === '1'
}
