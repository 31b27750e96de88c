import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { openForm } from '../../web/forms/door.ts'
import { type PageContext, page } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { coursePath, movedTo, questionPath } from '../../web/paths.ts'
import type { CourseAside } from '../courses/aside.ts'
import { findLecture } from '../courses/choices.ts'
import { pageOfCourse } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import { firstStepsOf } from '../courses/first-steps.ts'
import type { Course } from '../courses/queries.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { listedPeople, staffNames } from '../questions/openness-fields.ts'
import { questionAudience } from '../questions/operations.ts'
import { tagInCourse } from '../tags/queries.ts'
import { noteOpened } from '../telling/opened-courses.ts'
import { LIST_PARAMETERS, listTitle, type QuestionListView, questionListView } from './list-page.ts'
import type { OpenForm } from './post-views.ts'
import { readableTree, showQuestion } from './show.ts'
import type { QuestionTree } from './tree.ts'

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
    const course = await courseFor(request, 'read')
    return listCourse(request, reply, course, coursePath(course.slug))
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
  return course !== null && isReadable
    ? listCourse(request, reply, course, '/questions', slug === null ? {} : { course: slug })
    : showAll(request, reply)
}

async function listCourse(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  path: string,
  fixed: Readonly<Record<string, string>> = {},
) {
  const word = queryParam(request, 'tag')
  const tag = word === null ? null : await tagInCourse(request.server.db, course.id, tagNameOf(word))
  // An old name or another alias of the tag.
  if (word !== null && tag !== null && tag.name !== tagNameOf(word)) {
    const query = new URLSearchParams(request.url.split('?')[1])
    query.set('tag', tag.name)
    return movedTo({ url: `?${query}` }, reply, path)
  }
  const shown = await showCourse(request, reply, course, path, fixed, tag?.description ?? '')
  noteOpened(request, course.id)
  return shown
}

export const showAll = page('questions/index', {}, async (context) => {
  const path = '/questions'
  const list = await questionListView(context, { path, showCourse: true, readingPath: '/questions/reading' })
  return {
    title: listTitle(context, list, null, context.t('questions.index.title')),
    ...{
      course: null,
      aside: null,
      lecture: null,
      list,
      counts: {},
      welcome: null,
      first: null,
      tagDescription: '',
    },
    isSending: context.isSending,
    head: { canonical: path, feed: '/feed.atom', ask: { tags: list.tag } },
  }
})

export const showCourse = pageOfCourse(
  'questions/index',
  { place: 'questions' },
  async (context, path: string, fixed: Readonly<Record<string, string>>, tagDescription: string) => {
    const { db, server, course, robots, isSending } = context
    const { id, slug, title, timeZone } = course
    const position = queryParam(context, 'lecture')
    // The one that the list is about; null: all.
    const lecture = position === null ? null : await findLecture(db, id, position)
    if (position !== null && lecture === null) throw notFound()
    const readingPath = `${coursePath(slug)}/reading`
    const isSelecting = context.may('work-desk') && !course.isArchived
    const selectionPath = isSelecting ? `${coursePath(slug)}/questions/bulk` : undefined
    const scope = {
      courseId: id,
      path,
      lecture,
      fixed,
      showCourse: false,
      timeZone,
      readingPath,
      selectionPath,
    }
    const [list, aside] = await Promise.all([questionListView(context, scope), server.asides.of(id)])
    // For what stands beside the list.
    context.rendering?.dependsOn(`list:${id}`)
    const isWhole = list.scope === 'all'
    const first = isWhole ? await firstStepsOf(context, course, aside.questionsCount) : null
    return {
      title: listTitle(context, list, lecture, title),
      ...{ course, aside, lecture, list, tagDescription },
      counts: countsOf(aside, lecture, list),
      // null: somebody asked already.
      welcome: list.rows === '' && isWhole ? welcomeOf(context, aside, context.may('work-desk')) : null,
      // What the course still needs; null: nothing that the viewer looks after, or they hid it.
      first: first?.isHidden === true ? null : first,
      isSending,
      head: {
        ask: { lecture: lecture?.position ?? null, tags: list.tag },
        canonical: coursePath(slug),
        showsTexts: aside.news?.html != null,
        isForStaff: first !== null || isSelecting,
        script: first === null && !isSelecting ? undefined : ('running' as const),
        feed: robots === undefined ? `${coursePath(slug)}/feed.atom` : undefined,
        robots,
      },
    }
  },
)

/** What a course in which nobody has asked yet says to the first who may, and to those who answer: views/questions/_list.eta. */
function welcomeOf({ t, lang }: PageContext, aside: CourseAside, isForStaff: boolean) {
  const names = staffNames(t, aside.teachers)
  const listed = listedPeople(lang, names)
  const staffText = t('questions.empty.all.staff', { names: listed, count: names.length })
  const promise = aside.promised === null ? '' : ` ${t('courses.promise.says', aside.promised)}`
  return {
    isForStaff,
    // Who answers, by name or the staff, and how soon where they say so.
    staffText: `${staffText}${promise}`,
    anonymousText: aside.allowsAnonymous ? t('questions.empty.all.anonymous') : null,
  }
}

/** Of the whole course, or of one lecture: those with a tag, or of some days, are not counted. */
function countsOf(
  aside: CourseAside,
  lecture: { readonly position: number } | null,
  { tag, written }: QuestionListView,
): Readonly<Partial<Record<QuestionListView['tabs'][number]['name'], number>>> {
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
