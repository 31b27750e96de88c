import { type RawBuilder, sql } from 'kysely'
import type { Audience, CaseAbout, Database, Role, Row, Write } from '../../database/schema.ts'
import { personPath } from '../../web/paths.ts'
import { type SealedName, sealedName } from '../authors/sealed-name.ts'
import {
  KINDS,
  ofEveryKind,
  POST_TABLES,
  type PostKey,
  TABLES,
  tagsOf,
  titleOf,
  withQuestion,
} from '../posts/kinds.ts'

/** What can be reported, as addresses and elements name it: a post or a person. */
export interface Subject {
  readonly about: CaseAbout
  readonly id: number
}

/** The name of a subject: `answer-12`. */
export const subjectName = ({ about, id }: Subject) => `${about}-${id}`

/** What such a name names. */
export function subjectOf(name: string): Subject {
  const [about, id] = name.split('-')
  return { about: about as CaseAbout, id: Number(id) }
}

/** The first part of the address of each. */
export const FOLDERS = { ...TABLES, person: 'people' } as const

/** A post's key; null: a person. */
export function postKeyOf({ about, id }: Subject): PostKey | null {
  return about === 'person' ? null : { table: TABLES[about], id }
}

interface SubjectRow {
  /** null: of the forum. */
  readonly courseId: number | null
  readonly personId: number
  /** In the post's course. */
  readonly role: Role | null
  readonly isAdmin: boolean
  readonly author_name: SealedName
  readonly is_anonymous: boolean
  readonly textVersion: string
  /** Of a question, or the display name of a person. */
  readonly title: string | null
  readonly body: string | null
  readonly html: string | null
  readonly tags: readonly string[] | null
  readonly writtenAt: Date | null
  readonly editedAt: Date | null
  readonly isDeleted: boolean
  /** Its author may have been faster in deleting it than somebody in reporting it, who has a day for that. */
  readonly isLongDeleted: boolean
  /** Its text is gone for good, or the account. */
  readonly isPurged: boolean
  /** Of a post; its title is told even after it was deleted. */
  readonly question: { readonly id: number; readonly title: string; readonly audience: Audience } | null
  readonly isQuestionDeleted: boolean
}

export type SubjectText = NonNullable<Awaited<ReturnType<typeof findSubject>>>

/**
 * Reads a subject as it is now, in one statement, so that text and version belong together; null: it isn't
 * there.
 */
export async function findSubject(db: Database | Write, subject: Subject) {
  const post = postKeyOf(subject)
  const { rows } = await (post === null ? person(subject.id) : written(post)).execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { question, title } = row
  if (post !== null && question !== null)
    return { ...row, shownTitle: question.title, path: KINDS[post.table].path(question, post.id) }
  const displayName = title ?? ''
  return { ...row, shownTitle: displayName, path: personPath({ id: subject.id, displayName }) }
}

const person = (id: number): RawBuilder<SubjectRow> => sql<SubjectRow>`
  select null::bigint as "courseId", person.id as "personId", null as role, person.is_admin as "isAdmin",
    ${sealedName('person.display_name')} as author_name, false as is_anonymous, md5(person.display_name) as "textVersion",
    person.display_name as title, null as body, null as html, null::text[] as tags, null::timestamptz as "writtenAt",
    null::timestamptz as "editedAt", left_at is not null as "isDeleted", left_at is not null as "isPurged", false as "isLongDeleted",
    null::jsonb as question, false as "isQuestionDeleted"
  from people as person where person.id = ${id}`

const written = ({ table, id }: PostKey): RawBuilder<SubjectRow> => sql<SubjectRow>`
  select q.course_id as "courseId", post.author_id as "personId", member.role, person.is_admin as "isAdmin",
    ${sealedName('person.display_name')} as author_name, post.is_anonymous, post.version::text as "textVersion",
    ${titleOf(table)} as title, post.body, post.body_html as html, ${tagsOf(table)} as tags,
    coalesce(post.edited_at, post.written_at) as "writtenAt", post.edited_at as "editedAt",
    post.deleted_at is not null as "isDeleted", post.purged_at is not null as "isPurged",
    coalesce(post.deleted_at < now() - interval '1 day', false) as "isLongDeleted",
    jsonb_build_object('id', q.id, 'title', q.title, 'audience', q.audience) as question, q.deleted_at is not null as "isQuestionDeleted"
  from ${withQuestion(table)}
  join people as person on person.id = post.author_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = post.author_id
  where post.id = ${id}`

type About = Pick<Row<'cases'>, 'about' | 'question_id' | 'answer_id' | 'reply_id' | 'person_id'>

/** What a case is about, as it is now; null: it is gone for good. */
export async function presentOf(db: Database, { about, question_id, answer_id, reply_id, person_id }: About) {
  const id = about === 'person' ? person_id : (question_id ?? answer_id ?? reply_id)
  return id === null ? null : findSubject(db, { about, id })
}

export type CasePost = PostKey & { readonly questionId: number }

/** The post that a case is about; null: a person, or it is gone for good. */
export async function postOfCase(
  write: Write,
  matter: Pick<About, 'question_id' | 'answer_id' | 'reply_id'>,
): Promise<CasePost | null> {
  for (const table of POST_TABLES) {
    const id = matter[KINDS[table].column]
    if (id === null) continue
    const { rows } = await sql<{ questionId: number }>`
      select q.id as "questionId" from ${withQuestion(table)} where post.id = ${id}`.execute(write)
    const [found] = rows
    return found === undefined ? null : { table, id, ...found }
  }
  return null
}

/** A person, in a course; `courseId` null: everywhere. */
export interface PersonIn {
  readonly personId: number
  readonly courseId: number | null
}

/** The posts of a person that a condition on `post` holds for, in the order of their questions, which writes lock. */
export async function postsOf(
  db: Database | Write,
  { personId, courseId }: PersonIn,
  condition: RawBuilder<unknown>,
) {
  const { rows } = await sql<CasePost>`
    ${ofEveryKind(
      (table) => sql`
      select ${sql.lit(table)} as table, post.id, q.id as "questionId" from ${withQuestion(table)}
      where post.author_id = ${personId} and ${condition}
        and (${courseId}::bigint is null or q.course_id = ${courseId}::bigint)`,
    )}
    order by "questionId", id`.execute(db)
  return rows
}
