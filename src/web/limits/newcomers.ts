import type { FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { Problem } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { renderMarkdown } from '../../text/markdown.ts'
import { type Form, type FormResult, refuse } from '../form.ts'
import { NEWCOMERS } from './table.ts'

/** Whether it is somebody's first day: of who signed up themselves, but for admins. */
export function isNewAccount({ newUntil, isAdmin }: Pick<Person, 'newUntil' | 'isAdmin'>): boolean {
  return newUntil !== null && newUntil.getTime() > Date.now() && !isAdmin
}

/** Whether limits for newcomers hold: on the first day, but for staff. */
export function isNewcomer(person: Person): boolean {
  return isNewAccount(person) && Object.values(person.roles).every((role) => role === 'learner')
}

/** Reads the form of a post; a newcomer's with too many links is refused, with what was typed in it. */
export function parsePost<Values extends { readonly body: string }>(
  request: FastifyRequest,
  form: Form<Values>,
): FormResult<Values> {
  const result = form.parse(request.body)
  if (!result.ok || !isNewcomer(request.requirePerson())) return result
  const max = NEWCOMERS.links
  if (linksIn(result.values.body, request.server.config.baseUrl) <= max) return result
  return { ...refuse(result, 'body', 'posts.body.links', { max }), ok: false }
}

/**
 * Counts one post of a newcomer in a course, in the transaction that writes it: what is not posted, or was posted before, counts
 * nothing. Call it last, because newcomers of a course wait for one another from here to the commit.
 * @throws Problem 429 when the newcomers of the course wrote too much, which takes the post back
 */
export async function countNewcomer(request: FastifyRequest, write: Write, courseId: number): Promise<void> {
  if (!isNewcomer(request.requirePerson())) return
  const { max, window } = NEWCOMERS.course
  const { count, ttl } = await countTry(write, `newcomers of course ${courseId}`, window)
  if (count > max) throw new Problem('firstDay', Math.max(1, Math.ceil(ttl / 1000)))
}

/** Addresses that a post leads to, each once; not those in code, and none of ours. */
function linksIn(body: string, baseUrl: string): number {
  const addresses = [...renderMarkdown(body).matchAll(/<a href="(https?:[^"]*)"/gi)].map(
    ([, address = '']) => address,
  )
  return new Set(addresses.filter((address) => !address.startsWith(`${baseUrl}/`))).size
}
