import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Option } from '../../accounts/settings/setting-options.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import { languageIn } from '../../text/language.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { lecturesPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { changeLecture, moveLecture, NoRoom, removeLecture } from './commands.ts'
import { lectureForm, mergeForm, moveForm, removalForm } from './form.ts'
import { listLectures } from './queries.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'lectures/edit': LecturePage
  }
}

/** One lecture and what can be done with it: views/lectures/edit.eta. */
export interface LecturePage {
  readonly form: FormState
  readonly action: string
  readonly backPath: string
  readonly questionsCount: number
  /** Where its questions can go. */
  readonly others: readonly Option[]
}

type Lecture = Awaited<ReturnType<typeof listLectures>>[number]

const lecturePath = (slug: string, position: number) => `${lecturesPath(slug)}/${position}`

/** One lecture: its name and number, and where its questions go when it is merged or removed. */
export function registerLecture(app: FastifyInstance): void {
  const path = '/courses/:course/lectures/:position'
  const formPage = (request: FastifyRequest) =>
    lecturePath(textParam(request, 'course'), idParam(request, 'position'))
  const config = { limit: 'posting', needsPerson: true, formPage } as const

  app.get(path, async (request, reply) => {
    const { course, lecture, lectures } = await found(request)
    const { title, position } = lecture
    return show(request, reply, course, lecture, lectures, freshForm({ title, position: String(position) }))
  })

  app.post(path, { config: { ...config, keeps: lectureForm.names } }, async (request, reply) => {
    const { course, lecture, lectures } = await found(request)
    const form = lectureForm.parse(request.body)
    if (!form.ok) return show(request, reply, course, lecture, lectures, form)
    try {
      const { result, change } = await changeLecture(app.db, course.id, lecture.position, form.values)
      if (!result) throw notFound()
      return done(request, reply, course, change)
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error
      return show(
        request,
        reply,
        course,
        lecture,
        lectures,
        refuse(form, 'position', 'lectures.position.wrong'),
      )
    }
  })

  app.post(`${path}/move`, { config }, async (request, reply) => {
    const { course, lecture } = await found(request)
    const form = moveForm.parse(request.body)
    const to = form.ok ? (form.values.direction ?? form.values.to) : null
    if (to === null) throw notFound()
    const { result, change } = await moveLecture(app.db, course.id, lecture.position, to)
    // Its menu gets the focus: it may move on.
    return done(request, reply, course, change, result === null ? '' : `#lecture-${result}`)
  })

  for (const [name, chosen] of [
    ['merger', mergeForm],
    ['removal', removalForm],
  ] as const) {
    app.post(`${path}/${name}`, { config }, async (request, reply) => {
      const { course, lecture, lectures } = await found(request)
      const form = chosen.parse(request.body)
      const typed = { title: lecture.title, position: String(lecture.position) }
      const removed = form.ok
        ? await removeLecture(app.db, course.id, lecture.position, form.values.into)
        : null
      if (removed?.result === true) return done(request, reply, course, removed.change)
      const refused = refuse(freshForm(typed), name, 'lectures.into.unknown')
      return show(request, reply, course, lecture, lectures, refused)
    })
  }
}

/** @throws Problem 404 */
async function found(request: FastifyRequest) {
  const course = await courseFor(request, 'manage')
  const position = idParam(request, 'position')
  const lectures = await listLectures(request.server.db, course.id)
  const lecture = lectures.find((one) => one.position === position)
  if (lecture === undefined) throw notFound()
  return { course, lecture, lectures }
}

/** Back to the list, with a way to undo a change. @param change its number; null: nothing changed. @param fragment what gets the focus there */
export function done(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  change: number | null,
  fragment = '',
) {
  const path = lecturesPath(course.slug)
  noteEvent(request, 'course-lectures-changed', { courseId: course.id })
  const undoPath = change === null ? undefined : `${path}/undo/${change}`
  return reply.flash('lectures.flash.saved', undoPath).redirect(`${path}${fragment}`, 303)
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  lecture: Lecture,
  lectures: readonly Lecture[],
  form: FormState,
) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'lectures/edit',
    {
      title: t('lectures.edit.title', { position: lecture.position }),
      form,
      action: lecturePath(course.slug, lecture.position),
      backPath: lecturesPath(course.slug),
      questionsCount: lecture.questions_count,
      others: lectures
        .filter((one) => one !== lecture)
        .map(({ position, title }) => ({
          value: String(position),
          text: t('questions.lecture.option', { position, title }),
          lang: languageIn(course.language, title),
          selected: false,
        })),
    },
    {
      status: form.errors.length > 0 ? 422 : 200,
      course: course.slug,
      bar: await barOf(request, course, 'lectures'),
      isForStaff: true,
    },
  )
}
