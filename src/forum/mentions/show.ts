import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { joinReader } from '../../kernel/rights/visibility.ts'
import { escapeText } from '../../text/escape.ts'
import { mentionedIn, showMentions } from '../../text/mentions.ts'
import type { PageContext } from '../../web/page.ts'
import { personPath } from '../../web/paths.ts'
import { isOfThread } from './queries.ts'

/** Mentions of one post that are links; more are names as they were typed. */
const MAX_LINKED = 50
/** Characters of a link for each mention, and of links beyond that for a page: a name may be fifty times as long as what was typed. */
const USUAL_LENGTH = 150
const MAX_GROWTH = 40_000

export interface ShownPost {
  readonly kind: 'question' | 'answer' | 'reply'
  readonly id: number
  readonly questionId: number
  readonly html: string
}

/**
 * Mentions are links with today's name where the post may mention them and they are still of its thread or
 * course; else names as they were typed, so that no number tells whose it is.
 */
export async function withMentions(
  { server, rendering }: Pick<PageContext, 'server' | 'rendering'>,
  posts: readonly ShownPost[],
): Promise<string[]> {
  const named = posts.filter(({ html }) => mentionedIn(html).length > 0)
  if (named.length === 0) return posts.map(({ html }) => html)
  const people = await mentionedPeople(server.db, named)
  for (const { id } of people.values()) rendering?.dependsOn(`person:${id}`)
  // Made once, however often it stands on the page.
  const links = new Map(
    [...people.values()].map((person) => [
      person.id,
      `<a class="mention" href="${personPath(person)}">@${escapeText(person.displayName)}</a>`,
    ]),
  )
  let growth = 0
  return posts.map(({ kind, id, html }) => {
    let linked = 0
    return showMentions(html, (personId, typed) => {
      const person = people.get(`${kind} ${id} ${personId}`)
      const link = person?.isOfThread === true ? links.get(personId) : undefined
      if (link === undefined || linked >= MAX_LINKED) return `@${typed}`
      growth += Math.max(0, link.length - USUAL_LENGTH)
      if (growth > MAX_GROWTH) return `@${typed}`
      linked += 1
      return link
    })
  })
}

async function mentionedPeople(db: Database, posts: readonly ShownPost[]) {
  const of = (kind: ShownPost['kind']) => {
    const some = posts.filter((post) => post.kind === kind)
    return sql`
      select ${sql.lit(`${kind} `)} || shown.id as post, mentions.person_id, thread
      from mentions join unnest(${some.map(({ id }) => id)}::bigint[], ${some.map((post) => post.questionId)}::bigint[])
        as shown (id, thread) on mentions.${sql.ref(`${kind}_id`)} = shown.id`
  }
  const { rows } = await sql<{ post: string; id: number; displayName: string; isOfThread: boolean }>`
    select mention.post, person.id, person.display_name as "displayName", ${isOfThread} as "isOfThread"
    from (${of('question')} union all ${of('answer')} union all ${of('reply')}) as mention
    join people as person on person.id = mention.person_id
    join questions as q on q.id = mention.thread ${joinReader}`.execute(db)
  return new Map(rows.map((row) => [`${row.post} ${row.id}`, row]))
}
