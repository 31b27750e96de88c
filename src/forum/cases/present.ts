import { sql } from 'kysely'
import type { Audience, Database, Row } from '../../database/schema.ts'
import { personPath } from '../../web/paths.ts'
import { KINDS, withQuestion } from '../posts/kinds.ts'
import { postOfCase } from './case-posts.ts'

export type Present = NonNullable<Awaited<ReturnType<typeof presentOf>>>

interface PresentText {
  /** The title of the post's question, or the display name of a person. */
  readonly title: string
  /** Its question is deleted, whether it is or not. */
  readonly isQuestionDeleted: boolean
  readonly body: string | null
  readonly textVersion: string
  readonly changedAt: Date | null
  readonly isDeleted: boolean
  readonly isAnonymous: boolean
}

/** What a case is about, as it is now; null: it is gone for good. */
export async function presentOf(db: Database, matter: Row<'cases'>) {
  if (matter.about === 'person') return matter.person_id === null ? null : presentPerson(db, matter.person_id)
  const post = await postOfCase(db, matter)
  if (post === null) return null
  const { rows } = await sql<PresentText & { questionId: number; audience: Audience }>`
    select q.id as "questionId", q.title, q.deleted_at is not null as "isQuestionDeleted", q.audience, post.body, post.version::text as "textVersion", post.edited_at as "changedAt",
      post.deleted_at is not null as "isDeleted", post.is_anonymous as "isAnonymous"
    from ${withQuestion(post.table)}
    where post.id = ${post.id}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const question = { id: row.questionId, title: row.title, audience: row.audience }
  return { ...row, path: KINDS[post.table].path(question, post.id) }
}

async function presentPerson(db: Database, id: number) {
  const { rows } = await sql<PresentText>`
    select display_name as title, false as "isQuestionDeleted", null as body, md5(display_name) as "textVersion", null::timestamptz as "changedAt",
      left_at is not null as "isDeleted", false as "isAnonymous"
    from people where id = ${id}`.execute(db)
  const [row] = rows
  return row === undefined ? null : { ...row, path: personPath({ id, displayName: row.title }) }
}
