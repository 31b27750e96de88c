import { type RawBuilder, sql } from 'kysely'
import { tagNamesOf } from '../tags/tagging.ts'
import { POST_TABLES, type PostTable } from './kinds.ts'

// What a statement that is written for every kind says of a post of alias `post`, by the table of its kind.

/** The id of its question. */
export const questionIdOf = (table: PostTable) =>
  sql.ref<number>(table === 'questions' ? 'post.id' : 'post.question_id')

/** Its title; null of an answer or a reply. */
export const titleOf = (table: PostTable): RawBuilder<string | null> =>
  table === 'questions' ? sql`post.title` : sql`null`

/** The names of its tags, in their order; null of an answer or a reply. */
export const tagsOf = (table: PostTable): RawBuilder<string[] | null> =>
  table === 'questions' ? tagNamesOf('post') : sql`null::text[]`

/** It with its question, of alias `q`. */
export const withQuestion = (table: PostTable) =>
  sql`${sql.table(table)} as post join questions as q on q.id = ${questionIdOf(table)}`

/** One select for each kind of post, put together. */
export const ofEveryKind = (select: (table: PostTable) => RawBuilder<unknown>) =>
  sql.join(POST_TABLES.map(select), sql` union all `)
