import { type RawBuilder, sql } from 'kysely'
import type { Database, MeasureKind, Write } from '../../database/schema.ts'

/** Days in which all posts of an account that were deleted at once can be restored. */
export const REMOVAL_DAYS = 30
const DAY_MS = 86_400_000

/**
 * Until when what was deleted can be restored, and the author of a post that a decision deleted still reads
 * it.
 */
export const keptUntil = (deletedAt: Date) => new Date(deletedAt.getTime() + REMOVAL_DAYS * DAY_MS)

/** Whether the measure of alias `measure` suspends a person now. Uses index measures_suspended. */
export const isSuspension = sql<boolean>`(measure.kind = 'suspend' and measure.ended_at is null
  and (measure.ends_at is null or measure.ends_at > now()))`

/** Whether the measure of alias `measure` and its case `matter` deleted all posts of an account, and isn't lifted. */
export const isRemoval = sql<boolean>`(measure.kind = 'delete' and matter.about = 'person' and measure.ended_at is null)`

/** Whether what the measure of alias `measure` deleted at once can't be restored by staff any more. */
export const isPastRestoring = sql<boolean>`(measure.starts_at <= now() - ${sql.lit(REMOVAL_DAYS)} * interval '1 day')`

/**
 * Until when somebody can object to what was decided at a time: six months, as the EU has it (2022/2065, Article 20).
 * @param at an expression of SQL
 */
export const objectUntil = (at: RawBuilder<unknown>) => sql<Date>`(${at} + interval '6 months')`

/** The id of the question that the post of case `matter` belongs to. */
export const questionOfMatter = sql<number>`coalesce(matter.question_id,
  (select question_id from answers where id = matter.answer_id), (select question_id from replies where id = matter.reply_id))`

/** The case whose decision an objection, of the table `objections`, is about. */
export const caseOfObjection = sql<number>`coalesce((select case_id from measures where id = objections.measure_id),
  (select case_id from reports where id = objections.report_id))`

/** Whether a measure of a kind is in force. @param isSame which one: of the alias `measures`, or its case `matter` */
export const measureHolds = (kind: MeasureKind, isSame: RawBuilder<unknown>) => sql<boolean>`exists (
  select from measures join cases as matter on matter.id = measures.case_id
  where measures.kind = ${kind} and measures.ended_at is null and ${isSame})`

/** Whether a measure closes a question, beside what staff say of it without one. */
export const isClosedByMeasure = (questionId: number) =>
  measureHolds('close', sql`${questionOfMatter} = ${questionId}`)

/** A measure about a whole account, which staff end on the person's page: a suspension, or that all posts were deleted. */
export interface InForce {
  readonly kind: 'suspend' | 'delete'
  /** null, and so its slug and title: every course. */
  readonly courseId: number | null
  readonly course: string | null
  readonly title: string | null
  readonly endsAt: Date | null
  readonly caseId: number
  /** Its case is the admins'. */
  readonly isForAdmins: boolean
}

/** Lists the suspensions of a person, and the removals of their posts that can be undone, oldest first. Uses index measures_person. */
export async function measuresInForce(db: Database | Write, personId: number): Promise<readonly InForce[]> {
  const { rows } = await sql<InForce>`
    select measure.kind, measure.course_id as "courseId", course.slug as course, course.title, measure.ends_at as "endsAt",
      measure.case_id as "caseId", matter.is_for_admins as "isForAdmins"
    from measures as measure join cases as matter on matter.id = measure.case_id
    left join courses as course on course.id = measure.course_id
    where measure.person_id = ${personId} and (${isSuspension} or (${isRemoval} and not ${isPastRestoring}))
    order by measure.id`.execute(db)
  return rows
}
