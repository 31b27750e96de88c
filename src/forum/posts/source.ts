import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { isNamedAsStaff } from '../../kernel/rights/rights.ts'
import type { FormState } from '../../web/form.ts'
import { tagNamesOf } from '../tags/tagging.ts'
import type { Post } from './find.ts'
import { type BelowTable, KINDS, type PostTable } from './kinds.ts'

export type QuestionSource = Awaited<ReturnType<typeof findQuestionSource>>
export type TextSource = Awaited<ReturnType<typeof findTextSource>>

/**
 * A question's text as it was typed. `category` is a slug, `lecture` its number in the course, `writtenBy` the account that the
 * present text is from: the last editor, or the author.
 */
export async function findQuestionSource(db: Database, id: number) {
  const source = await db
    .selectFrom('questions as q')
    .innerJoin('categories as category', 'category.id', 'q.category_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .select(['q.is_anonymous as isAnonymous', isHideable('questions', 'q').as('isHideable')])
    .select(['q.title', 'q.body', 'q.version', 'category.slug as category', 'lecture.position as lecture'])
    .select(({ fn }) => fn.coalesce('q.edited_by', 'q.author_id').as('writtenBy'))
    .select(tagNamesOf('q').as('tags'))
    .where('q.id', '=', id)
    .executeTakeFirst()
  if (source === undefined) throw notFound()
  return source
}

/** The same of an answer or a reply. */
export async function findTextSource(db: Database, table: BelowTable, id: number) {
  const source = await db
    // The columns of both tables are alike, which their union does not tell.
    .selectFrom(`${table as 'answers'} as post`)
    .innerJoin('questions as q', 'q.id', 'post.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['post.body', 'post.version', 'post.is_anonymous as isAnonymous'])
    .select(({ fn }) => fn.coalesce('post.edited_by', 'post.author_id').as('writtenBy'))
    .select(isHideable(table, 'post').as('isHideable'))
    .where('post.id', '=', id)
    .executeTakeFirst()
  if (source === undefined) throw notFound()
  return source
}

/** How long a name can be hidden after posting, as long as no mail, no push and no webhook told it. */
export const HIDING_MINUTES = 5

interface NameState {
  readonly isAnonymous: boolean
  /** The course has anonymous posts, this one is not older than HIDING_MINUTES, and no classmate and no program was told of it. */
  readonly isHideable: boolean
}

export type Naming = NonNullable<ReturnType<typeof namingOf>>

/**
 * Whether a name can be hidden now, on the alias of a post's table, its question `q` and `course`: MAIL_SOON_SECONDS may be less than
 * HIDING_MINUTES. Staff know the name anyway, but who reads what a webhook was sent, nobody knows. Uses indexes notifications_question,
 * events_question, events_answer and events_reply.
 */
function isHideable(table: PostTable, post: string): RawBuilder<boolean> {
  const writtenAt = sql.ref(`${post}.written_at`)
  return sql<boolean>`(course.allows_anonymous and ${writtenAt} > now() - ${HIDING_MINUTES} * interval '1 minute'
    and not exists (
      select from notifications as notice join deliveries as delivery on delivery.notification_id = notice.id
      join people as told on told.id = notice.person_id
      left join course_members as member on member.course_id = q.course_id and member.person_id = told.id
      where notice.question_id = q.id and delivery.sent_at >= ${writtenAt} and told.id <> ${sql.ref(`${post}.author_id`)}
        and coalesce(member.role, 'learner') = 'learner' and not told.is_admin)
    and not exists (
      select from events as event join webhook_deliveries as delivery on delivery.event_id = event.id
      where event.${sql.ref(KINDS[table].column)} = ${sql.ref(`${post}.id`)} and delivery.tries > 0
        and split_part(event.type, '.', 1) = ${KINDS[table].kind}))`
}

/**
 * What the author chooses in the form that edits a post, views/questions/_name.eta; null: there is nothing to choose, or somebody else
 * edits. `isLate`: hiding the name was chosen, and can't be any more.
 */
export function namingOf(person: Person, post: Post, state: NameState, { typed }: FormState) {
  const isAnonymous =
    typed.anonymous === undefined || typed.anonymous === '' ? state.isAnonymous : typed.anonymous === '1'
  const mayBe = state.isAnonymous || mayHideNow(person, post, state)
  if (person.id !== post.authorId || !(mayBe || isAnonymous)) return null
  return { isAnonymous, minutes: HIDING_MINUTES, isLate: !mayBe }
}

/**
 * What an edit makes of the name: whoever edits another's post, or leaves the field out, leaves it as it is.
 * @param wished null: nothing was said
 * @throws Refused where it is too late to hide it
 */
export function namedAs(person: Person, post: Post, state: NameState, wished: boolean | null): boolean {
  const isAnonymous = person.id === post.authorId ? (wished ?? state.isAnonymous) : state.isAnonymous
  if (!isAnonymous || state.isAnonymous || mayHideNow(person, post, state)) return isAnonymous
  throw refusal('anonymous', 'anonymous.late', { minutes: HIDING_MINUTES })
}

function mayHideNow(person: Person, post: Post, { isHideable }: NameState): boolean {
  return isHideable && !isNamedAsStaff(person, post.courseId)
}
