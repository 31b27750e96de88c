import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLecture } from '../courses/choices.ts'
import { tellAside } from '../courses/kept-asides.ts'
import type { Course, CourseAside } from '../courses/queries.ts'
import { isVisible } from '../courses/visibility.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { freshForm } from '../web/form.ts'
import { findKeptForm } from '../web/kept-forms.ts'
import { languageOfRequest } from '../web/language.ts'
import { movedTo } from '../web/moved.ts'
import { idParam, queryParam, textParam } from '../web/params.ts'
import { coursePath, questionPath } from '../web/paths.ts'
import { notFound } from '../web/problem.ts'
import { type QuestionListView, questionListView } from './list-page.ts'
import { ListedQuestions } from './listed-questions.ts'
import { QuestionRows } from './question-rows.ts'
import { readableTree, showQuestion } from './show.ts'
import type { QuestionTree } from './tree.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly listedQuestions: ListedQuestions
    readonly questionRows: QuestionRows
  }
}

declare module '../web/views.ts' {
  interface Pages {
    'questions/index': QuestionIndex
  }
}

export interface QuestionIndex {
  readonly course: Course | null
  readonly aside: CourseAside | null
  /** The lecture the list is about; null: all. */
  readonly lecture: { readonly position: number; readonly title: string } | null
  readonly list: QuestionListView
}

export function registerQuestions(app: FastifyInstance): void {
  app.decorate('listedQuestions', new ListedQuestions(app.db, app.changes))
  app.decorate('questionRows', new QuestionRows((data) => app.part('/questions/_question-row', data)))
  const shared = { config: { isShared: true, isForMembers: true } }
  app.get('/', shared, listAll)
  app.get('/questions', shared, listAll)
  app.get('/courses/:course', shared, async (request, reply) => {
    const course = await app.courses.findCourse(textParam(request, 'course'))
    if (course === null || !isVisible(request.person, course)) throw notFound()
    return listCourse(request, reply, course, coursePath(course.slug), {})
  })
  app.get('/questions/:id', shared, showOne)
  app.get('/questions/:id/:slug', shared, showOne)
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
  const t = translatorOf(languageOfRequest(request))
  const list = await questionListView(request, { path: '/questions', showCourse: true })
  return reply.page(
    'questions/index',
    {
      title: t('questions.index.title'),
      course: null,
      aside: null,
      lecture: null,
      list,
    },
    { canonical: '/questions', feed: '/feed.atom' },
  )
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
    }),
    request.server.asides.of(course.id),
  ])
  if (request.shown !== null) tellAside(request.shown, course.id, aside)
  return reply.page(
    'questions/index',
    { title: course.title, course, aside, lecture, list },
    {
      course: course.slug,
      canonical: coursePath(course.slug),
      ...(isVisible(null, course) ? { feed: `${coursePath(course.slug)}/feed.atom` } : { robots: 'noindex' }),
    },
  )
}

/** A question under its right address; a missing or outdated slug leads there for good. */
async function showOne(request: FastifyRequest, reply: FastifyReply) {
  const tree = await readableTree(request, idParam(request, 'id'))
  const path = questionPath(tree)
  const [asked = ''] = request.url.split('?')
  if (asked !== path && tree.deleted_at === null) {
    return movedTo(request, reply, path)
  }
  noteView(request, tree)
  const kept = await findKeptForm(request)
  const formId = queryParam(request, 'form')
  const open = kept === null || formId === null ? null : { id: formId, form: freshForm(kept) }
  return showQuestion(request, reply, tree, open)
}

/** A page made for all counts its views as it is sent to each. */
function noteView(request: FastifyRequest, tree: QuestionTree): void {
  const viewed = { id: tree.id, authorId: tree.author_id, viewsCount: tree.views_count }
  if (request.shown === null) request.server.views.note(request, viewed)
  else request.shown.viewed = viewed
}
