import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { TABLE_FILE_BYTES } from '../../limits/table.ts'
import { type FieldError, Refused } from '../../operations/problem.ts'
import { freshForm, sentFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { registerMultipart, tableFields } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { lecturesPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import type { ReadLectures } from '../courses/lecture-file.ts'
import { readList } from './commands.ts'
import { showLectures } from './lectures-page.ts'
import { registerLecture, saved } from './one-lecture.ts'
import { lectureAdding, lecturesForm, lectureUndoing } from './operations.ts'
import { showRead } from './read-page.ts'

/** `/courses/:course/lectures`: readers of the course may read it; its staff add some there. */
export function registerLectures(app: FastifyInstance): void {
  registerLecture(app)
  const shared = { config: { shared: { parameters: [], personalParameters: ['kept'], isForMembers: true } } }
  app.get('/courses/:course/lectures', shared, async (request, reply) => {
    const course = await courseFor(request, 'read')
    const kept = await findKeptForm(request)
    return showLectures(request, reply, course, kept === null ? null : restoredForm(request, kept))
  })

  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const formPage = (request: FastifyRequest) => lecturesPath(slugIn(request))
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES })
    openForm(scope, '/courses/:course/lectures', lectureAdding, {
      ...saved,
      key: slugIn,
      formPage,
      keeps: true,
      instead: showWhatIsRead,
      input: (request) => sentFields(tableFields(request, 'lectures').body),
      refused: async (request, reply, { errors }) => showAgain(request, reply, errors),
    })
  })
  openForm(app, '/courses/:course/lectures/undo/:change', lectureUndoing, {
    key: (request) => ({ slug: slugIn(request), part: idParam(request, 'change') }),
    formPage,
    done: ({ slug }) => lecturesPath(slug),
    flash: (_, done) => `lectures.flash.${done?.outcome}`,
  })
}

/** A list is read and shown before it is saved; it may be that of a file. */
async function showWhatIsRead(request: FastifyRequest, reply: FastifyReply) {
  const course = await courseFor(request, 'manage')
  const fields = tableFields(request, 'lectures')
  if (fields.refused !== null) return showLectures(request, reply, course, fields.refused, 422)
  const form = lecturesForm.parse(fields.body)
  if (!form.ok) return showAgain(request, reply, form.errors)
  const { lectures: text, mode, table: isTable, act } = form.values
  if (act === 'save') return null
  const typed = freshForm({ lectures: text, mode: mode ?? 'add', table: isTable ? '1' : '' })
  if (act === 'edit') return showLectures(request, reply, course, typed)
  try {
    const read = await readList({ text, isTable })
    return isOneTitle(read, mode) ? null : await showRead(request, reply, course, read, typed)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return showAgain(request, reply, error.errors)
  }
}

/** With the text as it was read, which may be that of a file. */
async function showAgain(request: FastifyRequest, reply: FastifyReply, errors: readonly FieldError[]) {
  const course = await courseFor(request, 'manage')
  const typed = typedIn(tableFields(request, 'lectures').body, ['lectures', 'mode', 'table'])
  return showLectures(request, reply, course, { typed: { ...typed, mode: typed.mode || 'add' }, errors }, 422)
}

/** One title after the others changes nothing that is there: it is saved at once, and can be undone. */
function isOneTitle({ lectures, isNumbered }: ReadLectures, mode: 'add' | 'replace' | null): boolean {
  return lectures.length === 1 && !isNumbered && mode !== 'replace'
}
