import { type RawBuilder, sql } from 'kysely'
import type { CaseAbout, Database, Role, Write } from '../../database/schema.ts'
import { type SealedName, sealedName } from '../authors/sealed-name.ts'
import { KINDS, type PostKey, TABLES, tagsOf, titleOf, withQuestion } from '../posts/kinds.ts'

/** Subjects that can be reported, as addresses and elements name them: a post or a person. */
export interface Subject {
  readonly about: CaseAbout
  readonly id: number
}

/** The name of a subject: `answer-12`. */
export const subjectName = ({ about, id }: Subject) => `${about}-${id}`

/** The first part of the address of each. */
export const FOLDERS = { ...TABLES, person: 'people' } as const

/** A post's key; null: a person. */
export function postKeyOf({ about, id }: Subject): PostKey | null {
  return about === 'person' ? null : { table: TABLES[about], id }
}

export interface SubjectText {
  /** null: of the forum. */
  readonly courseId: number | null
  readonly personId: number
  /** In the post's course. */
  readonly role: Role | null
  readonly isAdmin: boolean
  readonly author_name: SealedName
  readonly is_anonymous: boolean
  readonly textVersion: string
  readonly title: string | null
  readonly body: string | null
  readonly html: string | null
  readonly tags: readonly string[] | null
  readonly writtenAt: Date | null
}

/** Reads a subject's text in one statement, so that text and version belong together; null: it is gone for good. */
export async function findSubjectText(db: Database | Write, subject: Subject): Promise<SubjectText | null> {
  const post = postKeyOf(subject)
  const { rows } = await (post === null ? personText(subject.id) : postText(post)).execute(db)
  return rows[0] ?? null
}

function personText(id: number): RawBuilder<SubjectText> {
  return sql<SubjectText>`
    select null::bigint as "courseId", person.id as "personId", null as role,
      person.is_admin as "isAdmin", ${sealedName('person.display_name')} as author_name, false as is_anonymous,
      md5(person.display_name) as "textVersion", person.display_name as title, null as body, null as html,
      null::text[] as tags, null::timestamptz as "writtenAt"
    from people as person where person.id = ${id} and person.left_at is null`
}

function postText({ table, id }: PostKey): RawBuilder<SubjectText> {
  return sql<SubjectText>`
    select q.course_id as "courseId", post.author_id as "personId", member.role,
      person.is_admin as "isAdmin", ${sealedName('person.display_name')} as author_name, post.is_anonymous,
      post.version::text as "textVersion", ${titleOf(table)} as title,
      post.body, post.body_html as html, ${tagsOf(table)} as tags, coalesce(post.edited_at, post.written_at) as "writtenAt"
    from ${withQuestion(table)}
    join people as person on person.id = post.author_id
    left join course_members as member on member.course_id = q.course_id and member.person_id = post.author_id
    where post.id = ${id} and post.purged_at is null`
}

/** The id of the question that the post of case `matter` belongs to. */
export const questionOfMatter = sql<number>`coalesce(matter.question_id,
  (select question_id from answers where id = matter.answer_id), (select question_id from replies where id = matter.reply_id))`

export function subjectColumns(subject: Subject, text: SubjectText) {
  const post = postKeyOf(subject)
  const columns = { question_id: null, answer_id: null, reply_id: null }
  return {
    subject: subjectName(subject),
    ...columns,
    ...(post !== null && { [KINDS[post.table].column]: post.id }),
    person_id: text.personId,
    course_id: text.courseId,
  }
}
