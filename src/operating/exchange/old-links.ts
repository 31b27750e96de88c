import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Audience, Database } from '../../database/schema.ts'
import { gone, notFound } from '../../kernel/problem.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo, shownTo, visibleTo } from '../../kernel/rights/visibility.ts'
import { csvOf } from '../../text/csv.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { answerPath, questionPath, replyPath } from '../../web/paths.ts'
import { isTakenBack, type PostKind } from './imported-posts.ts'

/** An address of the forum that a post was imported from. */
interface OldLink {
  /** The kind of forum: `ed`, `moodle`… */
  readonly source: string
  /** What addresses there call the post: its id, `q`, `a`, `c` or `r` and the id, or one of its `addresses`. */
  readonly id: string
  /** The slug of a course; null: any. */
  readonly course: string | null
}

/** `/from/ed/41` leads to the post that was imported from there. */
export function registerOldLinks(app: FastifyInstance): void {
  app.get('/from/:source/:id', async (request, reply) => {
    const [source, id] = [textParam(request, 'source'), textParam(request, 'id')]
    const link = { source, id: id.normalize('NFC'), course: queryParam(request, 'course') }
    const found =
      id.includes('\0') || !id.isWellFormed() ? null : await findImported(app.db, request.person, link)
    if (found === null) throw notFound()
    if (found.isTakenBack) throw gone()
    // It may be taken back, and come again.
    return reply.header('cache-control', 'private, no-cache').redirect(found.path, 301)
  })
}

const LETTERS: Readonly<Record<string, PostKind>> = { q: 'question', a: 'answer', c: 'reply', r: 'reply' }

/**
 * The post that an old link means, of those that the viewer may read: in the course that was imported into last; the question of an id,
 * else the answer, else the reply; else what has a letter before it, or is another address of it. What was taken back comes after all.
 * Uses indexes imported_posts_source and imported_posts_addresses.
 */
async function findImported(db: Database, viewer: Actor | null, { source, id, course }: OldLink) {
  const [letter, rest] = [LETTERS[id.slice(0, 1)] ?? null, id.slice(1)]
  const isShown = (post: string) => sql`(${sql.ref(`${post}.id`)} is null or ${shownTo(viewer, post)})`
  const { rows } = await sql<FoundPost & { isTakenBack: boolean }>`
    select q.id, q.title, q.audience, post.answer_id as "answerId", post.reply_id as "replyId", q.id is null as "isTakenBack"
    from imported_posts as post
    left join import_runs as run on run.id = post.run_id
    left join answers as answer on answer.id = post.answer_id
    left join replies as reply on reply.id = post.reply_id
    left join answers as parent on parent.id = reply.answer_id
    left join questions as q on q.id = coalesce(post.question_id, answer.question_id, reply.question_id)
    join courses as course on course.id = coalesce(q.course_id, post.course_id)
    where (post.source = ${source} and post.external_id = ${id}
        or post.source = ${source} and post.external_id = ${rest} and post.kind = ${letter}
        or post.addresses @> array[${id}] and post.addresses <> '{}' and post.source = ${source})
      and (${course}::text is null or course.slug = ${course})
      and case when q.id is null then ${isTakenBack} and ${visibleTo(viewer)}
        else ${readableTo(viewer)} and ${isShown('answer')} and ${isShown('reply')} and ${isShown('parent')} end
    order by q.id is null, (
        select max(id) from import_runs where course_id = post.course_id and source = post.source and origin = post.origin
      ) desc nulls last, course.id desc,
      post.external_id <> ${id}, post.external_id <> ${rest}, array_position(array['question', 'answer', 'reply'], post.kind)
    limit 1`.execute(db)
  const [post] = rows
  return post === undefined
    ? null
    : { isTakenBack: post.isTakenBack, path: post.isTakenBack ? '' : pathOf(post) }
}

interface FoundPost {
  readonly id: number
  readonly title: string
  readonly audience: Audience
  readonly answerId: number | null
  readonly replyId: number | null
}

function pathOf(post: FoundPost): string {
  if (post.answerId !== null) return answerPath(post, post.answerId)
  return post.replyId === null ? questionPath(post) : replyPath(post, post.replyId)
}

/** Rows that are read at a time. */
const READ_AT_ONCE = 1000

/**
 * Where old links to posts of a run lead, for the proxy of the old forum, as CSV, some lines at a time: to those posts that all readers of
 * the course may read.
 */
export async function* redirectLines(db: Database, runId: number, baseUrl: string): AsyncGenerator<string> {
  yield csvOf([['from', 'to', 'kind']], { isWhole: false })
  for (const kind of ['question', 'answer', 'reply'] as const)
    for (let after = 0; ; ) {
      const rows = await shownPosts(db, runId, kind, after)
      const records = rows.flatMap((row) =>
        [row.externalId, ...row.addresses].map((from) => [from, `${baseUrl}${pathOf(row)}`, kind]),
      )
      yield csvOf(records, { isWhole: false })
      after = rows.at(-1)?.postId ?? after
      if (rows.length < READ_AT_ONCE) break
    }
}

async function shownPosts(db: Database, runId: number, kind: PostKind, after: number) {
  const column = sql.ref(`post.${kind}_id`)
  const { rows } = await sql<FoundPost & { postId: number; externalId: string; addresses: string[] }>`
    select q.id, q.title, q.audience, post.answer_id as "answerId", post.reply_id as "replyId", ${column} as "postId",
      post.external_id as "externalId", post.addresses
    from imported_posts as post
    left join answers as answer on answer.id = post.answer_id
    left join replies as reply on reply.id = post.reply_id
    left join answers as parent on parent.id = reply.answer_id
    join questions as q on q.id = coalesce(post.question_id, answer.question_id, reply.question_id)
    where post.run_id = ${runId} and ${column} > ${after} and q.is_listed
      and answer.is_shown is not false and reply.is_shown is not false and parent.is_shown is not false
    order by ${column} limit ${READ_AT_ONCE}`.execute(db)
  return rows
}
