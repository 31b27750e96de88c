import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from '../../database/schema.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { announcementPath, coursePath, faqPath, lecturesPath, pathWith } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { durationOf, durationWithin } from './promise.ts'

const LATEST = 100
/** Fewer questions say nothing about what is usual. */
const FEWEST = 5
const MAX_LECTURES = 100
const MAX_TEACHERS = 5
const FAQ_SHOWN = 5
const NEWS_DAYS = 14

export type CourseAside = Awaited<ReturnType<typeof courseAside>>

/**
 * What stands beside a course's list of questions, ready to show, in one round trip: views/courses/_contents.eta. `promised` and
 * `firstWithin`, the time in which staff mean to answer and usually do, are values for messages; null: nothing is promised or known.
 */
export async function courseAside(db: Database, courseId: number) {
  const row = await selectAside(db, courseId)
  const { slug, first_answer_hours: hours, questions_count: questions } = row
  const isUsual = hours !== null && questions >= FEWEST && row.unanswered_count * 2 < questions
  return {
    questionsCount: questions,
    unresolvedCount: questions - row.resolved_count,
    waitingCount: row.unanswered_count,
    lectures: row.lectures.slice(0, MAX_LECTURES).map(({ position, title, unresolved_count }) => ({
      position,
      title,
      path: pathWith(coursePath(slug), { lecture: position }),
      unresolvedCount: unresolved_count,
    })),
    // Where all are listed; null: all are above.
    allLecturesPath: row.lectures.length > MAX_LECTURES ? lecturesPath(slug) : null,
    teachers: row.teachers.map(({ id, display_name, role }) =>
      personByline({ id, displayName: display_name, role }),
    ),
    news: await newsOf(row.news[0]),
    faq: row.faq.map(({ id, title }) => ({ text: title, path: `${faqPath(slug)}#faq-${id}` })),
    allowsAnonymous: row.allows_anonymous,
    promised: row.promise_hours === null ? null : durationOf(row.promise_hours),
    firstWithin: isUsual ? durationWithin(hours) : null,
  }
}

/** `html`: its text, while nobody has asked in the course; null otherwise. */
async function newsOf(row: Awaited<ReturnType<typeof selectAside>>['news'][number] | undefined) {
  if (row === undefined) return null
  const { title, author_id: id, display_name: displayName, role } = row
  const [text] = row.body === null ? [] : await prepareMarkdown([row.body])
  const author = personByline({ id, displayName, role })
  return { title, path: announcementPath(row), author, html: text?.html ?? null }
}

/** Indexes: announcements_published, faq_entries_listed, lectures_position_key, course_members_staff, questions_shown_of_course, answers_question_key. */
function selectAside(db: Database, courseId: number) {
  return db
    .selectFrom('courses as course')
    .select(['course.slug', 'course.questions_count', 'course.resolved_count', 'course.unanswered_count'])
    .select(['course.allows_anonymous', 'course.promise_hours'])
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('lectures')
          .select(['position', 'title', 'unresolved_count'])
          .whereRef('course_id', '=', 'course.id')
          .orderBy('position')
          .limit(MAX_LECTURES + 1),
      ).as('lectures'),
      jsonArrayFrom(
        select
          .selectFrom('course_members as member')
          .innerJoin('people', 'people.id', 'member.person_id')
          .select(['people.id', 'people.display_name', 'member.role'])
          .whereRef('member.course_id', '=', 'course.id')
          .where('member.role', '<>', 'learner')
          .orderBy('member.role', 'desc')
          .orderBy('people.id')
          .limit(MAX_TEACHERS),
      ).as('teachers'),
      jsonArrayFrom(
        select
          .selectFrom('announcements as news')
          .innerJoin('people', 'people.id', 'news.author_id')
          .leftJoin('course_members as member', (join) =>
            join.onRef('member.course_id', '=', 'news.course_id').onRef('member.person_id', '=', 'people.id'),
          )
          .select(['news.id', 'news.title', 'people.id as author_id', 'people.display_name', 'member.role'])
          .select(sql<string | null>`case when course.questions_count = 0 then news.body end`.as('body'))
          .whereRef('news.course_id', '=', 'course.id')
          .where('news.published_at', '>', sql<Date>`now() - ${sql.lit(NEWS_DAYS)} * interval '1 day'`)
          .orderBy('news.published_at', 'desc')
          .orderBy('news.id', 'desc')
          .limit(1),
      ).as('news'),
      jsonArrayFrom(
        select
          .selectFrom('faq_entries as entry')
          .leftJoin('questions as q', 'q.id', 'entry.question_id')
          .select(['entry.id', sql<string>`coalesce(entry.title, q.title)`.as('title')])
          .whereRef('entry.course_id', '=', 'course.id')
          .where('entry.state', '=', 'shown')
          .where(sql<boolean>`(entry.question_id is null or q.is_listed)`)
          .orderBy('entry.position')
          .orderBy('entry.id')
          .limit(FAQ_SHOWN),
      ).as('faq'),
      firstAnswerWait.as('first_answer_hours'),
    ])
    .where('course.id', '=', courseId)
    .executeTakeFirstOrThrow()
}

/**
 * The median time in hours to an answer by someone other than the asker, over the latest answered questions,
 * as readers can tell: an anonymous answer counts, also where the asker wrote it, and a named one to an
 * anonymous question. Imported ones say nothing.
 */
const firstAnswerWait = sql<number | null>`(
  select percentile_cont(0.5) within group (order by extract(epoch from answered.at - asked.written_at) / 3600)
  from (
    select id, author_id, is_anonymous, written_at from questions
    where course_id = course.id and is_shown and is_listed and answers_count > 0
    order by written_at desc, id desc limit ${sql.lit(LATEST)}
  ) as asked
  cross join lateral (
    select min(written_at) as at from answers
    where question_id = asked.id and is_shown
      and (author_id <> asked.author_id or is_anonymous <> asked.is_anonymous)
  ) as answered
  where answered.at is not null and not exists (select from imported_posts where question_id = asked.id))`
