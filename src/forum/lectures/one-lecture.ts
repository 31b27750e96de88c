import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Option } from '../../accounts/settings/setting-options.ts'
import { notFound } from '../../kernel/problem.ts'
import { languageIn } from '../../text/language.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { lecturesPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import { listLectures } from './commands.ts'
import { lectureChange, lectureMerger, lectureMove, lectureRemoval } from './operations.ts'

/** One lecture and what can be done with it: views/lectures/edit.eta. */
interface LecturePage {
  readonly form: FormState
  readonly action: string
  readonly backPath: string
  readonly questionsCount: number
  readonly others: readonly Option[]
}

const lecturePath = (slug: string, position: number) => `${lecturesPath(slug)}/${position}`

/** Back to the list, with a way to undo a change. */
export const saved = {
  done: ({ slug }: Saved) => lecturesPath(slug),
  flash: (_: FastifyRequest, saved: Saved | null) => ({
    said: 'lectures.flash.saved',
    act: saved?.change == null ? undefined : `${lecturesPath(saved.slug)}/undo/${saved.change}`,
  }),
}

interface Saved {
  readonly slug: string
  /** null: nothing changed. */
  readonly change: number | null
}

export function registerLecture(app: FastifyInstance): void {
  const path = '/courses/:course/lectures/:position'
  const key = (request: FastifyRequest) => ({
    slug: textParam(request, 'course'),
    part: idParam(request, 'position'),
  })
  const formPage = (request: FastifyRequest) => lecturePath(key(request).slug, key(request).part)
  const shared = { ...saved, key, formPage }

  app.get(path, async (request, reply) => show(request, reply, null))
  openForm(app, path, lectureChange, { ...shared, keeps: true, refused: show })
  openForm(app, `${path}/move`, lectureMove, {
    ...shared,
    flash: (request, done) => ({
      ...saved.flash(request, done),
      ...(done?.position != null && {
        said: [{ key: 'lectures.flash.moved', values: { position: done.position } }],
      }),
    }),
    // Its menu gets the focus: it may move on.
    done: ({ slug, position }) => `${lecturesPath(slug)}${position === null ? '' : `#lecture-${position}`}`,
    refused: async () => {
      throw notFound()
    },
  })
  const refusedFor = (field: string) => (request: FastifyRequest, reply: FastifyReply) =>
    show(request, reply, refuse(freshForm(), field, 'lectures.into.unknown'))
  openForm(app, `${path}/merger`, lectureMerger, { ...shared, refused: refusedFor('merger') })
  openForm(app, `${path}/removal`, lectureRemoval, { ...shared, refused: refusedFor('removal') })
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

/** @param refused a form and what is wrong with it; null: nothing was sent */
async function show(request: FastifyRequest, reply: FastifyReply, refused: FormState | null) {
  const { course, lecture, lectures } = await found(request)
  const typed = { title: lecture.title, position: String(lecture.position), ...refused?.typed }
  const form = { typed, errors: refused?.errors ?? [] }
  const t = translatorFor(request)
  return reply.page<LecturePage>(
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
      status: refused === null ? 200 : 422,
      course: course.slug,
      bar: await barOf(request, course, 'lectures'),
      isForStaff: true,
    },
  )
}
