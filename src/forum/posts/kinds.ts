import { type RawBuilder, sql } from 'kysely'
import { answerPath, questionPath, replyPath } from '../../web/paths.ts'
import { tagNamesOf } from '../tags/tagging.ts'
import { POST_BODY, REPLY_BODY } from './form.ts'

type Place = Parameters<typeof questionPath>[0]

/**
 * What the three kinds of post differ in, by the table that keeps them. `column` names a post in tables that know of all three, `max` are
 * the characters of its text, `path` is where it stands on its question's page. What only one kind has is no part of posts/: audience,
 * course, lecture, tags and status of questions are in questions/, acceptance and endorsement in answers/; a reply stands under an answer
 * or a question, and has no votes. Who may do what is the same for all: kernel/rights/table.ts.
 */
export const KINDS = {
  questions: {
    kind: 'question',
    column: 'question_id',
    max: POST_BODY.max,
    path: (question: Place, _id: number) => questionPath(question),
  },
  answers: { kind: 'answer', column: 'answer_id', max: POST_BODY.max, path: answerPath },
  replies: { kind: 'reply', column: 'reply_id', max: REPLY_BODY.max, path: replyPath },
} as const

export type PostTable = keyof typeof KINDS
export type PostKind = (typeof KINDS)[PostTable]['kind']
export type BelowTable = Exclude<PostTable, 'questions'>

/** In the order in which their rows are locked. */
export const POST_TABLES = ['questions', 'answers', 'replies'] as const satisfies readonly PostTable[]

export const TABLES = {
  question: 'questions',
  answer: 'answers',
  reply: 'replies',
} as const satisfies Record<PostKind, PostTable>

export interface PostKey {
  readonly table: PostTable
  readonly id: number
}

export function ofEachKind<Value>(make: (table: PostTable) => Value): Readonly<Record<PostTable, Value>> {
  return { questions: make('questions'), answers: make('answers'), replies: make('replies') }
}

// What a statement that is written for every kind says of a post of alias `post`, by the table of its kind.

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

export const ofEveryKind = (select: (table: PostTable) => RawBuilder<unknown>) =>
  sql.join(POST_TABLES.map(select), sql` union all `)
