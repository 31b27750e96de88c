import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, FaqState } from '../../database/schema.ts'
import { mentionsAsNames, withTypedNames } from '../../text/mentions.ts'
import { API, listOf, reading } from '../../web/json/endpoint.ts'
import { cursorIn, pageOfTexts, paging } from '../../web/json/paging.ts'
import { id, resource, time } from '../../web/json/resource.ts'
import { readableCourse } from '../courses/resource.ts'

/** Entries of a course, as many as its page shows. */
const MAX_ENTRIES = 200
/** Questions that the system proposes at a time. */
const MAX_PROPOSALS = 5
/** Of the most viewed resolved questions: of each lecture the first is proposed. */
const MOST_VIEWED = 100
const FEWEST_VIEWS = 10
const FEWEST_AGAIN = 2

export interface Entry {
  readonly id: number
  readonly state: FaqState
  readonly position: number
  readonly version: number
  readonly title: string
  /** Markdown of a text of its own; null: a question. */
  readonly body: string | null
  readonly questionId: number | null
  /** Markdown of what explains it: the text, or the best answer to the question; without one, the question's own. */
  readonly source: string
  /** HTML of the best answer to the question. */
  readonly answerHtml: string | null
  readonly changedAt: Date
  /** How often its question was asked again: linked as a duplicate, or found while asking ("This answers mine"). */
  readonly again: number
}

/** The answer that explains question `q`, as `best`; nulls: it has none. */
export const joinBestAnswer = sql`
  left join lateral (
    select a.body, a.body_html from answers as a where a.question_id = q.id and a.is_shown
    order by a.id = q.accepted_answer_id desc nulls last, a.votes_count desc, a.id limit 1) as best on true`

/** The entries of a course in their order. Questions that not everybody in the course reads are left out. Index faq_entries_listed. */
export async function listEntries(db: Database, courseId: number, states: readonly FaqState[]) {
  const { rows } = await sql<Entry>`
    select entry.id, entry.state, entry.position, entry.version, coalesce(entry.title, q.title) as title, entry.body,
      entry.question_id as "questionId", best.body_html as "answerHtml",
      coalesce(entry.body, best.body, q.body) as source, entry.changed_at as "changedAt",
      (select count(*) from questions where duplicate_of = q.id and is_shown)
        + (select count(*) from question_follows where question_id = q.id and instead_of_asking) as again
    from faq_entries as entry
    left join questions as q on q.id = entry.question_id
    ${joinBestAnswer}
    where entry.course_id = ${courseId} and entry.state = any(${states}::text[])
      and (entry.question_id is null or q.is_listed)
    order by entry.position, entry.id limit ${MAX_ENTRIES}`.execute(db)
  return rows
}

export function findEntry(db: Database, id: number) {
  return db
    .selectFrom('faq_entries as entry')
    .innerJoin('courses as course', 'course.id', 'entry.course_id')
    .select(['entry.id', 'entry.title', 'entry.body', 'entry.position', 'entry.state', 'entry.version'])
    .select('course.slug')
    .where('entry.id', '=', id)
    .executeTakeFirst()
}

/** What the system proposes: what was asked most often again, then the most viewed resolved question of each lecture. */
export async function findProposals(db: Database, courseId: number) {
  const { rows } = await sql<
    Pick<Entry, 'id' | 'title' | 'again'> & { views: number; lectureId: number | null }
  >`
    with known as (select question_id from faq_entries where course_id = ${courseId} and question_id is not null),
    asked as (
      select id, count(*)::integer as again from (
        select duplicate_of as id from questions
        where course_id = ${courseId} and duplicate_of is not null and is_shown
        union all
        select q.id from question_follows as follow join questions as q on q.id = follow.question_id
        where follow.instead_of_asking and q.course_id = ${courseId}
      ) as one group by id having count(*) >= ${FEWEST_AGAIN}),
    -- What is an entry already, or was declined, takes no other question's place.
    doubled as (
      select id, again from asked where id not in (select question_id from known) order by again desc, id limit ${MAX_PROPOSALS}),
    viewed as (
      select id, 0 as again from questions
      where course_id = ${courseId} and is_shown and is_listed and status = 'resolved'
      order by views_count desc, id desc limit ${MOST_VIEWED})
    select q.id, q.title, q.views_count as views, max(one.again)::integer as again, q.lecture_id as "lectureId"
    from (select * from doubled union all select * from viewed) as one join questions as q on q.id = one.id
    where q.is_listed and q.id not in (select question_id from known)
      and (one.again > 0 or q.views_count >= ${FEWEST_VIEWS})
    group by q.id order by max(one.again) desc, q.views_count desc, q.id`.execute(db)
  const lectures = new Set<number | null>()
  const proposals = rows.filter(({ again, lectureId }) => {
    if (again > 0) return true
    const isFirst = !lectures.has(lectureId)
    lectures.add(lectureId)
    return isFirst
  })
  return proposals.slice(0, MAX_PROPOSALS).map(({ lectureId: _, ...proposal }) => proposal)
}

const faqSchema = resource('FaqEntry', {
  id,
  title: z.string(),
  body: z.string(),
  body_html: z.string(),
  question: id.nullable(),
  position: z.int(),
  changed_at: time,
})

export const faqEndpoint = reading(
  '/courses/:course/faq',
  listOf(faqSchema),
  { name: 'listFaq', tag: 'courses', query: z.object({ cursor: paging.cursor }) },
  async (call) => {
    const { request, query } = call
    const course = await readableCourse(call)
    const after = cursorIn(query.cursor, 'count')
    const listed = await listEntries(request.server.db, course.id, ['shown'])
    const entries = listed.filter(
      ({ position, id }) =>
        after === null || position > after.value || (position === after.value && id > after.id),
    )
    const page = await pageOfTexts(entries, false, {
      sourceOf: ({ source }) => source,
      htmlOf: ({ answerHtml }) => answerHtml,
      cursorOf: ({ position, id }) => ({ value: position, id }),
    })
    const items = page.rows.map(({ body, body_html: html, questionId: question, changedAt, ...entry }) => ({
      ...{ ...entry, question, changed_at: changedAt },
      ...{ body: mentionsAsNames(body), body_html: withTypedNames(html) },
      links: question === null ? {} : { question: `${API}/questions/${question}` },
    }))
    return { items, next: page.next }
  },
)
