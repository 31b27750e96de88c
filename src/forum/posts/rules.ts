import type { Write } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { personOf } from '../../kernel/actor.ts'
import { NEWCOMERS } from '../../kernel/limits.ts'
import { isNewcomer } from '../../kernel/newcomers.ts'
import type { Doing } from '../../kernel/operation.ts'
import { Problem, refusal } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { isNamedAsStaff, type Place } from '../../kernel/rights/rights.ts'
import type { RenderedText } from '../../text/markdown.ts'

export function fewLinks({ actor, input, baseUrl }: Doing<{ readonly body: RenderedText }, Place>): void {
  if (!isNewcomer(personOf(actor))) return
  const max = NEWCOMERS.links
  if (linksIn(input.body, baseUrl) > max) throw refusal('body', 'posts.body.links', { max })
}

/**
 * A new answer or reply hides a name only where names are to be hidden: the course decides, and staff never do.
 * @throws Refused with `anonymous`
 */
export async function permittedName({
  write,
  actor,
  subject,
  input,
}: Doing<{ readonly anonymous: boolean }, Place>): Promise<void> {
  if (!input.anonymous) return
  if (isNamedAsStaff(personOf(actor), subject.courseId)) throw refusal('anonymous', 'anonymous.staff')
  const course = await write
    .selectFrom('courses')
    .select('allows_anonymous')
    .where('id', '=', subject.courseId)
    .executeTakeFirstOrThrow()
  if (!course.allows_anonymous) throw refusal('anonymous', 'anonymous.off')
}

/**
 * Counts one post of a newcomer in a course, in the transaction that writes it: what is not posted, or was posted before, counts
 * nothing. Call it last, because newcomers of a course wait for one another from here to the commit.
 * @throws Problem when the newcomers of the course wrote too much, which takes the post back
 */
export async function countNewcomer(write: Write, author: Person, courseId: number): Promise<void> {
  if (!isNewcomer(author)) return
  const { max, window } = NEWCOMERS.course
  const { count, ttl } = await countTry(write, `newcomers of course ${courseId}`, window)
  if (count > max) throw new Problem('firstDay', Math.max(1, Math.ceil(ttl / 1000)))
}

/** Addresses that a post leads to, each once; not those in code, and none of ours. */
function linksIn({ html }: RenderedText, baseUrl: string): number {
  const addresses = [...html.matchAll(/<a href="(https?:[^"]*)"/gi)].map(([, address = '']) => address)
  return new Set(addresses.filter((address) => !address.startsWith(`${baseUrl}/`))).size
}
