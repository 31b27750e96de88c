import { sql } from 'kysely'
import type { Row, Write } from '../../database/schema.ts'
import type { ImportRun } from './import-run.ts'

export type PostKind = Row<'imported_posts'>['kind']

/** The kinds, by the file that has them. */
export const KINDS = { questions: 'question', answers: 'answer', replies: 'reply' } as const
export type PostLines = keyof typeof KINDS

/** Where an imported post is now. */
export interface Whereabouts {
  /** null: it was removed here for good. */
  readonly id: number | null
  readonly questionId: number | null
  /** An answer, still or by now. */
  readonly isAnswer: boolean
  /** This run brought it. */
  readonly isNew: boolean
}

/** Of a row of alias `post` and its `run`: its post was taken back, and comes again with another import. */
export const isTakenBack = sql<boolean>`coalesce(post.question_id, post.answer_id, post.reply_id) is null
  and coalesce(run.state in ('taking-back', 'taken-back'), false)`

/** The posts that the course has of these ids of the export. */
export async function postsOf(
  write: Write,
  run: ImportRun,
  kind: PostKind,
  ids: readonly string[],
): Promise<Map<string, Whereabouts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Whereabouts & { key: string }>`
    select post.external_id as key, coalesce(post.question_id, post.answer_id, post.reply_id) as id,
      coalesce(post.question_id, answer.question_id, reply.question_id) as "questionId", post.answer_id is not null as "isAnswer",
      post.run_id is not distinct from ${run.id} as "isNew"
    from imported_posts as post
    left join answers as answer on answer.id = post.answer_id
    left join replies as reply on reply.id = post.reply_id
    left join import_runs as run on run.id = post.run_id
    where post.course_id = ${run.courseId} and post.source = ${run.source} and post.origin = ${run.origin}
      and post.kind = ${kind} and post.external_id = any(${[...new Set(ids)]}::text[])
      and not (${isTakenBack})`.execute(write)
  return new Map(rows.map(({ key, ...where }) => [key, where]))
}

/** The same of each kind. */
export async function postsByKind(
  write: Write,
  run: ImportRun,
  idsOf: (kind: PostKind) => readonly string[],
) {
  const posts = new Map<PostKind, Map<string, Whereabouts>>()
  for (const kind of Object.values(KINDS)) posts.set(kind, await postsOf(write, run, kind, idsOf(kind)))
  return posts
}
