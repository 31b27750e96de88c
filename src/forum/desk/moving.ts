import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { line, optional } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { type FieldError, notFound, Problem, Refused } from '../../kernel/problem.ts'
import { canSignIn, type Person } from '../../kernel/rights/person.ts'
import { type Place, placeOf, reachOf, rulingOn } from '../../kernel/rights/rights.ts'
import { isReadableByPerson } from '../../kernel/rights/visibility.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idOf, writing } from '../../web/json/endpoint.ts'
import { page } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { backPath, pathWith, questionPath } from '../../web/paths.ts'
import { askableCourse, type Lecture } from '../courses/choices.ts'
import { course as findCourse } from '../courses/find-course.ts'
import { keepEntriesAsText } from '../faq/operations.ts'
import { endFollowsOfStrangers } from '../follows/following.ts'
import { findQuestion, type Post, questionOf } from '../posts/find.ts'
import { asked } from '../posts/form.ts'
import { type LockedPost, question } from '../posts/lock.ts'
import { findQuestionSource } from '../posts/source.ts'
import { placeIn } from '../questions/asked-in.ts'
import { indexQuestions } from '../search/index-question.ts'
import { setTags } from '../tags/tagging.ts'
import { notifyOfMove } from '../telling/tell-posts.ts'
import { deskCourses } from './place.ts'

/** `course`: a slug; left out: the question's own. `lecture`: its number there; left out: none. */
const MOVE_FIELDS = { course: optional(line({ min: 1, max: 80 })), lecture: asked.lecture }

/**
 * Moves a question to another lecture, or to another course whose staff one is as well, with all that is below it. What that ends and
 * changes: docs/instructor.md.
 * @throws Refused with all that is against it
 */
export const questionMove = operation({
  name: 'move-question',
  right: 'move',
  find: question,
  limit: 'voting',
  input: MOVE_FIELDS,
  events: ['staff-decided'],
  async run({ write, actor, subject, input, note }) {
    const person = personOf(actor)
    const { id, courseId } = subject
    const there = input.course === null ? null : await courseNamed(write, input.course)
    if (there !== null && there.courseId !== courseId) {
      const { errors } = await refusals(write, person, subject, there)
      if (errors.length > 0) throw new Refused(errors)
    }
    const target = await askableCourse(write, person, there?.courseId ?? courseId)
    if (target === null) throw notFound()
    const { lectureId, categoryId, errors } = placeIn(target, { lecture: input.lecture, category: null })
    if (errors.length > 0 || categoryId === null) throw new Refused(errors)
    const isElsewhere = target.id !== courseId
    const before = await placeOfQuestion(write, id)
    const done = { subject, isElsewhere, isMoved: isElsewhere || before.lectureId !== lectureId, before }
    if (!done.isMoved) return done
    const place = { course_id: target.id, lecture_id: lectureId }
    if (isElsewhere) await moveToCourse(write, subject, { ...place, category_id: categoryId }, person.id)
    else await write.updateTable('questions').set(place).where('id', '=', id).execute()
    note('staff-decided', { act: 'moved', questionId: id })
    // In the log of the course that it left, too.
    if (isElsewhere) note('staff-decided', { act: 'moved', questionId: id, courseId })
    return done
  },
})

async function courseNamed(write: Write, slug: string) {
  return findCourse(write, slug).catch((error: unknown) => {
    if (error instanceof Problem) throw new Refused([wrong('unknown')])
    throw error
  })
}

const wrong = (why: string): FieldError => ({ field: 'course', message: { key: `moving.refused.${why}` } })

/** Whether somebody may move a question, as it would be in another course. */
const rulingThere = (person: Person, post: Post, there: Place) =>
  rulingOn(person, 'move', { ...post, ...there })

/**
 * Why a question can't move to a course: all of it. More people would read it; it, or a post below it, is of a kind that isn't taken
 * there; its asker couldn't read it; its old course has to decide about it.
 */
async function refusals(db: Database | Write, person: Person, post: Post, there: Place) {
  const ruling = rulingThere(person, post, there)
  // Nothing of its settings and members is told to others than its staff.
  if (ruling === 'hidden' || ruling === 'forbidden') return { errors: [wrong('unknown')], authorsOut: 0 }
  const { authorsOut, ...found } = await obstacles(db, post.id, there.courseId)
  const why = [
    ...(ruling === 'archived' ? ['archived'] : []),
    ...(!post.isPublic && there.isPublic ? ['public'] : []),
    ...(found.isPrivate ? ['private'] : []),
    ...(found.isAnonymous ? ['anonymous'] : []),
    ...(found.isAskerOut ? ['asker'] : []),
    ...(found.isInCase ? ['case'] : []),
  ]
  return { errors: why.map(wrong), authorsOut }
}

/** `authorsOut`: how many others than the asker wrote below it and couldn't read it there. */
async function obstacles(db: Database | Write, id: number, courseId: number) {
  const { rows } = await sql<{
    isPrivate: boolean
    isAnonymous: boolean
    isInCase: boolean
    isAskerOut: boolean
    authorsOut: number
  }>`
    with post as (
      select author_id, is_anonymous from questions where id = ${id}
      union all select author_id, is_anonymous from answers where question_id = ${id} and deleted_at is null
      union all select author_id, is_anonymous from replies where question_id = ${id} and deleted_at is null)
    select q.audience = 'staff' and not course.allows_private as "isPrivate",
      not course.allows_anonymous and exists (select from post where is_anonymous) as "isAnonymous",
      exists (select from cases as matter where matter.state = 'open' and (matter.question_id = q.id
        or matter.answer_id in (select id from answers where question_id = q.id)
        or matter.reply_id in (select id from replies where question_id = q.id))) as "isInCase",
      coalesce(stranger.is_asker, false) as "isAskerOut", coalesce(stranger.others, 0)::integer as "authorsOut"
    from questions as q join courses as course on course.id = ${courseId}
    cross join lateral (
      select bool_or(person.id = q.author_id) as is_asker, count(*) filter (where person.id <> q.author_id) as others
      from people as person
      left join course_members as member on member.course_id = course.id and member.person_id = person.id
      where person.id in (select author_id from post) and ${canSignIn()} and not ${isReadableByPerson}) as stranger
    where q.id = ${id}`.execute(db)
  const [found] = rows
  if (found === undefined) throw notFound()
  return found
}

function placeOfQuestion(db: Database | Write, id: number) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .select(['course.slug', 'lecture.id as lectureId', 'lecture.position'])
    .where('q.id', '=', id)
    .executeTakeFirstOrThrow()
}

/**
 * What becomes of the tables that have a question and a course, or a course through another one. The foreign keys of the first two carry
 * the course along; a case stays where it was decided, an event where it happened; a row of a dump stays with the course that it came
 * into, whose import knows it again.
 */
export const BESIDE_COURSE: Readonly<Record<string, 'follows' | 'is made anew' | 'ends' | 'stays'>> = {
  question_tags: 'follows',
  question_desk: 'follows',
  search_documents: 'is made anew',
  pins: 'ends',
  faq_entries: 'ends',
  cases: 'stays',
  events: 'stays',
  imported_posts: 'stays',
}

interface CoursePlace {
  readonly course_id: number
  readonly category_id: number
  readonly lecture_id: number | null
}

/** An edit that was begun before is told that the question changed: its lecture and category were the old course's. */
async function moveToCourse(write: Write, { id }: LockedPost, place: CoursePlace, actorId: number) {
  await write.deleteFrom('pins').where('question_id', '=', id).execute()
  await write.deleteFrom('desk_claims').where('question_id', '=', id).execute()
  const unlinked = { duplicate_of: null, duplicate_by: null }
  await write.updateTable('questions').set(unlinked).where('duplicate_of', '=', id).execute()
  // The staff of another course have promised something else. The lecture, which a trigger keeps, would be one of another course.
  await sql`
    update question_desk set assignee_id = null, assigned_by = null, assigned_at = null, snoozed_until = null,
      told_due_since = null, told_due_on = null, lecture_id = null
    where question_id = ${id}`.execute(write)
  await write
    .updateTable('questions')
    .set({ ...place, ...unlinked, version: sql`version + 1` })
    .where('id', '=', id)
    .execute()
  // What its words mean there.
  const { tags } = await findQuestionSource(write, id)
  await setTags(write, { id, courseId: place.course_id }, tags)
  await keepEntriesAsText(write, id)
  await endFollowsOfStrangers(write, id)
  await indexQuestions(write, [id])
  await notifyOfMove(write, id, actorId)
}

const ADDRESS = '/questions/:id/move'

export function registerMoving(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const path = (request: FastifyRequest) => `/questions/${key(request)}/move`
  app.get(ADDRESS, (request, reply) => {
    request.requirePerson()
    return showMoving(request, reply)
  })
  openForm(app, ADDRESS, questionMove, {
    key,
    formPage: path,
    done: ({ subject }, request) => backPath(request, questionPath(questionOf(subject))),
    flash(request, done, back) {
      if (done === null || !done.isMoved) return 'moving.flash.kept'
      if (done.isElsewhere) return 'moving.flash.course'
      const undo = pathWith(path(request), { lecture: done.before.position ?? '', back })
      return { said: 'moving.flash.lecture', act: undo }
    },
    refused: showMoving,
  })
}

/** Where a question may be moved, and what that means: first the course, then the lecture. */
export const showMoving = page(
  'desk/move',
  { robots: 'noindex' },
  async (
    { t, db, server, query, params, formFields, person },
    { typed, errors }: FormState = freshForm(),
  ) => {
    const mover = person()
    const moved = await findQuestion(db, mover, idParam({ params }, 'id'), 'move')
    const own = await placeOfQuestion(db, moved.id)
    const slug = typed.course || queryParam({ query }, 'course') || own.slug
    const there = await server.courses.findCourse(slug)
    const isElsewhere = there !== null && there.id !== moved.courseId
    const found = isElsewhere ? await refusals(db, mover, moved, placeOf(there)) : NOTHING
    const wrongs = [...(there === null ? [wrong('unknown')] : found.errors), ...errors.filter(isOfLecture)]
    const target = there === null || found.errors.length > 0 ? null : await askableCourse(db, mover, there.id)
    const position = isElsewhere ? null : own.position
    const courses = (await deskCourses(db, reachOf(mover, 'work-desk'))).filter((one) => !one.isArchived)
    const state = { typed: { lecture: String(position ?? ''), ...typed, course: slug }, errors: wrongs }
    const { course, lecture } = formFields('moving', MOVE_FIELDS, state, {
      course: { options: courses.map((one) => ({ value: one.slug, text: one.title })) },
      lecture: { options: lectureOptions(t, target?.lectures ?? []) },
    })
    return {
      title: t('moving.title'),
      question: { text: moved.title, path: questionPath(questionOf(moved)) },
      errors: wrongs.map(({ field, message }) => ({ field, text: t(message.key, message.values) })),
      action: `/questions/${moved.id}/move`,
      // null: there is no other course to choose.
      course: courses.length > 1 ? course : null,
      // null: it can't be moved there.
      lecture: target === null ? null : lecture,
      slug,
      elsewhere: isElsewhere ? { title: there.title, authorsOut: found.authorsOut } : null,
    }
  },
)

const NOTHING = { errors: [], authorsOut: 0 }

const isOfLecture = ({ field }: FieldError) => field === 'lecture'

const lectureOptions = (t: Translate, lectures: readonly Pick<Lecture, 'position' | 'title'>[]) => [
  { value: '', text: t('moving.lecture.none') },
  ...lectures.map(({ position, title }) => ({
    value: position,
    text: t('moving.lecture.one', { position, title }),
  })),
]

export const moveEndpoint = writing({
  ...{ method: 'POST', path: ADDRESS, name: 'moveQuestion', tag: 'desk' },
  operation: questionMove,
  isForStaff: true,
  body: { fields: MOVE_FIELDS, required: [] },
  key: idOf,
})
