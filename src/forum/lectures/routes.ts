import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { TABLE_FILE_BYTES } from '../../limits/table.ts'
import type { Message } from '../../messages/catalogue.ts'
import { freshForm } from '../../web/form.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { lecturesPath } from '../../web/paths.ts'
import { tableFields } from '../../web/table-field.ts'
import { courseFor } from '../courses/find-course.ts'
import { LAST_POSITION, LectureFileError, type ReadLectures } from '../courses/lecture-file.ts'
import { readLongLectures } from '../courses/long-lectures.ts'
import type { Course } from '../courses/queries.ts'
import { addLectures, MAX_LECTURES, NoRoom, replaceLectures, TooManyLectures } from './commands.ts'
import { lecturesForm } from './form.ts'
import { showLectures } from './lectures-page.ts'
import { done, registerLecture } from './one-lecture.ts'
import { showRead } from './read-page.ts'
import { undoChange } from './undo.ts'

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
  const config = { limit: 'posting', needsPerson: true, formPage } as const
  const keeps = lecturesForm.names.filter((name) => name !== 'act')
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES })
    scope.post('/courses/:course/lectures', { config: { ...config, keeps } }, addSome)
  })

  app.post('/courses/:course/lectures/undo/:change', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const change = idParam(request, 'change')
    const outcome = await undoChange(app.db, course.id, change)
    if (outcome === 'undone') noteEvent(request, 'course-lectures-changed', { courseId: course.id })
    return reply.flash(`lectures.flash.${outcome}`).redirect(lecturesPath(course.slug), 303)
  })

  async function addSome(request: FastifyRequest, reply: FastifyReply) {
    const course = await courseFor(request, 'manage')
    const fields = tableFields(request, 'lectures')
    if (fields.refused !== null) return showLectures(request, reply, course, fields.refused, 422)
    const form = lecturesForm.parse(fields.body)
    if (!form.ok) return showLectures(request, reply, course, form, 422)
    const { lectures: text, mode, act } = form.values
    // With the text as it was read, which may be that of a file.
    const typed = freshForm({ lectures: text, mode: mode ?? 'add' })
    if (act === 'edit') return showLectures(request, reply, course, typed)
    try {
      const read = await readLongLectures(text)
      if (act !== 'save' && !isOneTitle(read, mode))
        return await showRead(request, reply, course, read, typed)
      return done(request, reply, course, await save(course, read, mode))
    } catch (error) {
      const faults = faultsOf(error)
      const errors = faults.map((message) => ({ field: 'lectures', message }))
      return showLectures(request, reply, course, { ...typed, errors }, 422)
    }
  }

  /** @returns the number of the change */
  async function save(course: Course, read: ReadLectures, mode: 'add' | 'replace' | null) {
    const saved =
      mode === 'replace'
        ? await replaceLectures(app.db, course.id, read.lectures)
        : await addLectures(app.db, course.id, read)
    return saved.change
  }
}

/** One title after the others changes nothing that is there: it is saved at once, and can be undone. */
function isOneTitle({ lectures, isNumbered }: ReadLectures, mode: 'add' | 'replace' | null): boolean {
  return lectures.length === 1 && !isNumbered && mode !== 'replace'
}

/** What is wrong with a list. @throws what else went wrong */
function faultsOf(error: unknown): readonly Message[] {
  if (error instanceof LectureFileError) return error.faults
  if (error instanceof TooManyLectures) return [{ key: 'lectures.many', values: { max: MAX_LECTURES } }]
  if (error instanceof NoRoom) return [{ key: 'lectures.noRoom', values: { max: LAST_POSITION } }]
  throw error
}
