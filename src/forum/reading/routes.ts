import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { coursePath, movedTo, questionPath } from '../../web/paths.ts'
import type { CourseAside } from '../courses/aside.ts'
import { findLecture } from '../courses/choices.ts'
import { barOf } from '../courses/course-bar.ts'
import { firstStepsOf } from '../courses/first-steps.ts'
import type { Course } from '../courses/queries.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { listedPeople, staffNames } from '../questions/openness-fields.ts'
import { questionAudience } from '../questions/operations.ts'
import { noteOpened } from '../telling/opened-courses.ts'
import { LIST_PARAMETERS, listTitle, type QuestionListView, questionListView } from './list-page.ts'
import type { OpenForm } from './post-views.ts'
import { readableTree, showQuestion } from './show.ts'
import type { QuestionTree } from './tree.ts'

/** A list of questions. What stands beside the one of a course is null or empty in that of all. */
export interface QuestionIndex {
  readonly title: string
  readonly course: Course | null
  readonly aside: CourseAside | null
  /** The lecture the list is about; null: all. */
  readonly lecture: { readonly id: number; readonly position: number; readonly title: string } | null
  readonly list: QuestionListView
  /** How many questions are behind tabs, where that is known. */
  readonly counts: Readonly<Partial<Record<QuestionListView['tabs'][number]['name'], number>>>
  /** null: somebody asked already. */
  readonly welcome: ReturnType<typeof welcomeOf> | null
  /** What the course still needs; null: nothing that the viewer looks after, or they hid it. */
  readonly first: Awaited<ReturnType<typeof firstStepsOf>>
  /** There is a mail server: an address can be confirmed. */
  readonly isSending: boolean
}

export function registerQuestions(app: FastifyInstance): void {
  const list = { config: { shared: { ...LIST_PARAMETERS, isForMembers: true } } }
  const one = {
    config: {
      shared: { parameters: ['answers'], personalParameters: ['form', 'kept', 'draft'], isForMembers: true },
    },
  }
  app.get('/', list, listAll)
  app.get('/questions', list, listAll)
  app.get('/courses/:course', list, async (request, reply) => {
    const course = await app.courses.findCourse(textParam(request, 'course'))
    if (course === null || !isVisible(request.person, course)) throw notFound()
    return listCourse(request, reply, course, coursePath(course.slug), {})
  })
  app.get('/questions/:id', one, showOne)
  app.get('/questions/:id/:slug', one, showOne)
  app.get('/questions/:id/:slug/*', one, showOne)
}

/** The front page: of the course named in the query, of the only course there is, or of all. */
async function listAll(request: FastifyRequest, reply: FastifyReply) {
  const { courses } = request.server
  const slug = queryParam(request, 'course')
  const shown = slug ?? (await courses.findOnlyCourse(request.person))
  const course = shown === null ? null : await courses.findCourse(shown)
  const isReadable = course !== null && isVisible(request.person, course)
  if (slug !== null && !isReadable) throw notFound()
  if (course !== null && isReadable)
    return listCourse(request, reply, course, '/questions', slug === null ? {} : { course: slug })
  const t = translatorFor(request)
  const list = await questionListView(request, {
    path: '/questions',
    showCourse: true,
    readingPath: '/questions/reading',
  })
  const page: QuestionIndex = {
    title: listTitle(request, list, null, t('questions.index.title')),
    ...{ course: null, aside: null, lecture: null, list, counts: {}, welcome: null, first: null },
    isSending: request.server.config.smtpUrl !== null,
  }
  const head = { canonical: '/questions', feed: '/feed.atom', ask: { tags: list.tag } }
  return reply.page('questions/index', page, head)
}

async function listCourse(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  path: string,
  fixed: Record<string, string>,
) {
  const { db } = request.server
  const position = queryParam(request, 'lecture')
  const lecture = position === null ? null : await findLecture(db, course.id, position)
  if (position !== null && lecture === null) throw notFound()
  const [list, aside] = await Promise.all([
    questionListView(request, {
      path,
      courseId: course.id,
      lecture,
      fixed,
      showCourse: false,
      timeZone: course.timeZone,
      readingPath: `${coursePath(course.slug)}/reading`,
    }),
    request.server.asides.of(course.id),
  ])
  // For what stands beside the list.
  request.rendering?.dependsOn(`list:${course.id}`)
  noteOpened(request, course.id)
  const isWhole = list.scope === 'all'
  const isAnswering = may(request.person, 'work-desk', placeOf(course))
  const first = isWhole ? await firstStepsOf(contextOf(request), course, aside.questionsCount) : null
  const page: QuestionIndex = {
    title: listTitle(request, list, lecture, course.title),
    ...{ course, aside, lecture, list },
    counts: countsOf(aside, lecture, list),
    welcome: list.rows === '' && isWhole ? welcomeOf(languageOfRequest(request), aside, isAnswering) : null,
    first: first?.isHidden === true ? null : first,
    isSending: request.server.config.smtpUrl !== null,
  }
  return reply.page('questions/index', page, {
    course: course.slug,
    ask: { lecture: lecture?.position ?? null, tags: list.tag },
    bar: await barOf(contextOf(request), course, 'questions'),
    canonical: coursePath(course.slug),
    showsTexts: aside.news?.html != null,
    ...(first === null ? {} : { isForStaff: true, script: 'running' as const }),
    ...(isVisible(null, course) ? { feed: `${coursePath(course.slug)}/feed.atom` } : { robots: 'noindex' }),
  })
}

/** What a course in which nobody has asked yet says to the first who may, and to those who answer: views/questions/_list.eta. */
function welcomeOf(language: Language, aside: CourseAside, isForStaff: boolean) {
  const t = translatorOf(language)
  const names = staffNames(t, aside.teachers)
  const listed = listedPeople(language, names)
  const staffText = t('questions.empty.all.staff', { names: listed, count: names.length })
  const promise = aside.promised === null ? '' : ` ${t('courses.promise.says', aside.promised)}`
  return {
    isForStaff,
    // Who answers, by name or the staff, and how soon where they say so.
    staffText: `${staffText}${promise}`,
    anonymousText: aside.allowsAnonymous ? t('questions.empty.all.anonymous') : null,
  }
}

/**
 * How many questions are behind tabs, where that is known: of the whole course, or of one lecture; those with a tag, or of some days,
 * are not counted.
 */
function countsOf(
  aside: CourseAside,
  lecture: { readonly position: number } | null,
  { tag, written }: QuestionListView,
) {
  if (tag !== null || written !== null) return {}
  if (lecture === null) return { unanswered: aside.waitingCount, unresolved: aside.unresolvedCount }
  const found = aside.lectures.find(({ position }) => position === lecture.position)
  return found === undefined ? {} : { unresolved: found.unresolvedCount }
}

/** A question under its right address; a missing or outdated slug leads there for good. */
async function showOne(request: FastifyRequest, reply: FastifyReply) {
  const tree = await readableTree(request, idParam(request, 'id'))
  const path = questionPath(tree)
  const [asked = ''] = request.url.split('?')
  if (asked !== path && tree.deleted_at === null) return movedTo(request, reply, path)
  noteView(request, tree)
  noteOpened(request, tree.course_id)
  return showQuestion(request, reply, tree, await openedForm(request, tree.id))
}

/** The form that the address opens with text from before; null: none. */
async function openedForm(request: FastifyRequest, questionId: number): Promise<OpenForm | null> {
  const id = queryParam(request, 'form')
  if (id === null) return null
  const before = await findTypedBefore(request, actionOf(id, questionId))
  return before === null ? null : { id, form: reopenedForm(request, before) }
}

function actionOf(formId: string, questionId: number): string {
  const [, answerId] = /^reply-answer-(\d+)$/.exec(formId) ?? []
  if (answerId !== undefined) return `/answers/${answerId}/replies`
  return `/questions/${questionId}/${formId === 'answer' ? 'answers' : 'replies'}`
}

/** A shared page counts a view each time it is sent. */
function noteView(request: FastifyRequest, tree: QuestionTree): void {
  const { views } = request.server
  const viewed = { id: tree.id, authorId: tree.author_id }
  if (request.rendering === null) views.note(request, viewed)
  else request.rendering.onSent = (viewing) => views.note(viewing, viewed)
}

const key = (request: FastifyRequest) => idParam(request, 'id')

export function registerAudience(app: FastifyInstance): void {
  openForm(app, '/questions/:id/audience', questionAudience, {
    key,
    formPage: (request) => `/questions/${key(request)}`,
    done: questionPath,
    flash: (_, done) => (done?.audience === 'staff' ? 'audience.flash.withdrawn' : 'audience.flash.opened'),
  })
}
