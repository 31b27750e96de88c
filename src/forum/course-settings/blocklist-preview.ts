import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Audience, Database } from '../../database/schema.ts'
import { type BlockedText, type Lists, textFinder } from '../blocklists/blocklist.ts'
import { KINDS, ofEveryKind, type PostTable, questionIdOf, tagsOf } from '../posts/kinds.ts'
import { hostsIn } from '../posts/signals.ts'

const POSTS = 1000
const EXAMPLES = 3
/** Bytes of HTML that are looked at, in a second or so. */
const MOST_HTML = 3_000_000
/** Posts that are looked at before others have their turn. */
const STEP = 10

/**
 * What lists would have held of the newest posts that are shown in a course, or (null) of those that are not private in all public courses.
 * Addresses are left out: a count would tell who has one.
 */
export async function previewBlocklists(
  db: Database,
  courseId: number | null,
  lists: Lists,
  baseUrl: string,
) {
  const posts = await newestPosts(db, courseId)
  const find = textFinder(lists)
  const held: typeof posts = []
  for (const [at, post] of posts.entries()) {
    if (at % STEP === STEP - 1) await setImmediate()
    const text: BlockedText = { ...post, hosts: hostsIn(post.html, baseUrl) }
    if (find(text) !== null) held.push(post)
  }
  return {
    looked: posts.length,
    count: held.length,
    examples: held.slice(0, EXAMPLES).map(({ table, id, questionId, asked, audience }) => ({
      text: asked,
      path: KINDS[table].path({ id: questionId, title: asked, audience }, id),
    })),
  }
}

/** Newest first. Of questions by what was posted last in them, so that the newest posts are among those. */
async function newestPosts(db: Database, courseId: number | null) {
  const posts = ofEveryKind(
    (table) => sql`
    (select ${sql.lit(table)} as "table", post.id, post.written_at from ${sql.table(table)} as post
    where ${questionIdOf(table)} = q.id and post.is_shown order by post.written_at desc limit ${sql.lit(POSTS)})`,
  )
  const texts = ofEveryKind(
    (table) => sql`
    select ${table === 'questions' ? sql`post.title` : sql`''`} as title, coalesce(${tagsOf(table)}, '{}') as tags,
      post.body_html as html, octet_length(post.body_html) as size
    from ${sql.table(table)} as post where newest."table" = ${sql.lit(table)} and post.id = newest.id`,
  )
  const { rows } = await sql<{
    table: PostTable
    id: number
    questionId: number
    asked: string
    audience: Audience
    title: string
    tags: string[]
    html: string
  }>`
    with active as materialized (${activeQuestions(courseId)}),
    newest as materialized (
      select posts.*, q.id as "questionId", q.title as asked, q.audience
      from active as q cross join lateral (${posts}) as posts order by posts.written_at desc limit ${sql.lit(POSTS)})
    select * from (
      select newest.*, post.title, post.tags, post.html, sum(post.size) over (order by newest.written_at desc, newest.id) as read
      from newest cross join lateral (${texts}) as post) as sized
    where read <= ${sql.lit(MOST_HTML)} order by written_at desc`.execute(db)
  return rows
}

/** The questions that were active last. Indexes: questions_course_state_active, questions_shown_private; questions_state_active. */
function activeQuestions(courseId: number | null): RawBuilder<unknown> {
  const latest = (condition: RawBuilder<unknown>, order = sql`q.active_at`) => sql`
    (select q.id, q.title, q.audience, q.active_at from questions as q join courses as course on course.id = q.course_id
    where ${condition} order by ${order} desc limit ${sql.lit(POSTS)})`
  const place = courseId === null ? sql`course.is_public` : sql`q.course_id = ${courseId}`
  const listed = [0, 1, 2, 3].map((state) =>
    latest(sql`${place} and q.is_listed and q.state = ${sql.lit(state)}`),
  )
  const kept =
    courseId === null
      ? []
      : [latest(sql`${place} and q.is_shown and q.audience = 'staff'`, sql`q.written_at`)]
  return sql`
    select * from (${sql.join([...listed, ...kept], sql` union all `)}) as active
    order by active_at desc limit ${sql.lit(POSTS)}`
}
