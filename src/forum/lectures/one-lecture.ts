import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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

const lecturePath = (slug: string, position: number) => `${lecturesPath(slug)}/${position}`

/** Back to the list, with a way to undo a change. */
export const saved = {
  done: ({ slug }: { readonly slug: string }) => lecturesPath(slug),
  flash: (_: FastifyRequest, saved: { readonly slug: string; readonly change: number | null } | null) => ({
    said: 'lectures.flash.saved',
    act: saved?.change == null ? undefined : `${lecturesPath(saved.slug)}/undo/${saved.change}`,
  }),
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

/** One lecture, and what can be done with it. @param refused null: nothing was sent @throws Problem 404 */
async function show(request: FastifyRequest, reply: FastifyReply, refused: FormState | null) {
  const course = await courseFor(request, 'manage')
  const at = idParam(request, 'position')
  const lectures = await listLectures(request.server.db, course.id)
  const lecture = lectures.find(({ position }) => position === at)
  if (lecture === undefined) throw notFound()
  const typed = { title: lecture.title, position: String(lecture.position), ...refused?.typed }
  const t = translatorFor(request)
  const page = {
    title: t('lectures.edit.title', { position: at }),
    form: { typed, errors: refused?.errors ?? [] },
    action: lecturePath(course.slug, at),
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
  }
  const status = refused === null ? 200 : 422
  const bar = await barOf(request, course, 'lectures')
  return reply.page<typeof page>('lectures/edit', page, {
    status,
    course: course.slug,
    bar,
    isForStaff: true,
  })
}
