import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { type FormState, refuse } from '../../web/form.ts'
import { TABLE_FILE_BYTES } from '../../web/limits/table.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { textParam } from '../../web/params.ts'
import { lecturesPath } from '../../web/paths.ts'
import { tableFields } from '../../web/table-field.ts'
import { courseFor } from '../courses/find-course.ts'
import { LAST_POSITION, LectureFileError } from '../courses/lecture-file.ts'
import { readLongLectures } from '../courses/long-lectures.ts'
import { addLectures, MAX_LECTURES, NoRoom, replaceLectures, TooManyLectures } from './commands.ts'
import { lecturesForm } from './form.ts'
import { showLectures } from './lectures-page.ts'
import { registerLecture } from './one-lecture.ts'

/** `/courses/:course/lectures`: readers of the course may read it; its staff add some there. */
export function registerLectures(app: FastifyInstance): void {
  registerLecture(app)
  const shared = { config: { shared: { parameters: [], personalParameters: ['kept'], isForMembers: true } } }
  app.get('/courses/:course/lectures', shared, async (request, reply) => {
    const course = await courseFor(request, 'read')
    const kept = await findKeptForm(request)
    return showLectures(request, reply, course, kept === null ? null : restoredForm(request, kept))
  })

  const formPage = (request: FastifyRequest) => lecturesPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage, keeps: lecturesForm.names } as const
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES })
    scope.post('/courses/:course/lectures', { config }, addSome)
  })

  async function addSome(request: FastifyRequest, reply: FastifyReply) {
    const course = await courseFor(request, 'manage')
    const fields = tableFields(request, 'lectures')
    if (fields.refused !== null) return showLectures(request, reply, course, fields.refused, 422)
    const form = lecturesForm.parse(fields.body)
    if (!form.ok) return showLectures(request, reply, course, form, 422)
    const { lectures: text, mode } = form.values
    const refused = await refusedText(form, async () => {
      const { lectures, isNumbered } = await readLongLectures(text)
      if (mode === 'replace') await replaceLectures(app.db, course.id, lectures)
      else await addLectures(app.db, course.id, lectures, isNumbered)
    })
    if (refused !== null) return showLectures(request, reply, course, refused, 422)
    noteEvent(request, 'course-lectures-changed', { courseId: course.id })
    return reply.flash('lectures.flash.saved').redirect(lecturesPath(course.slug), 303)
  }
}

/** @returns the form with what is wrong in the text; null: it was taken */
async function refusedText(form: FormState, take: () => Promise<void>): Promise<FormState | null> {
  try {
    await take()
    return null
  } catch (error) {
    if (error instanceof TooManyLectures)
      return refuse(form, 'lectures', 'lectures.many', { max: MAX_LECTURES })
    if (error instanceof NoRoom) return refuse(form, 'lectures', 'lectures.noRoom', { max: LAST_POSITION })
    if (!(error instanceof LectureFileError)) throw error
    return refuse(form, 'lectures', error.told.key, error.told.values)
  }
}
