import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import type { Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { postOnce } from '../../operations/posted-once.ts'
import { forbidden } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { may } from '../../rights/rights.ts'
import type { FormState, ValuesOf } from '../../web/form.ts'
import { refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { onceOf } from '../../web/once.ts'
import { coursePath } from '../../web/paths.ts'
import { addMember, createCourse, setLectures } from '../courses/commands.ts'
import { LectureFileError } from '../courses/lecture-file.ts'
import { readLongLectures } from '../courses/long-lectures.ts'
import { giveRole } from '../courses/roles.ts'
import { MAX_LECTURES } from '../lectures/commands.ts'
import { newCourseForm } from './form.ts'
import { type SettingFields, settingFields } from './settings-page.ts'
import { withSuggestedTemplate } from './suggested-template.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'course-settings/new': SettingFields
  }
}

const PATH = '/courses/new'

/** Making a course: who runs the forum does. */
export function registerNewCourse(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    requireMaker(request)
    const begin = {
      language: languageOfRequest(request),
      time_zone: app.config.timeZone,
      visibility: 'public',
      asking: 'everybody',
      accent: 'green',
      allows_private: '1',
    }
    return showForm(request, reply, restoredForm(request, await findKeptForm(request), begin))
  })

  const config = {
    limit: 'posting',
    needsPerson: true,
    formPage: () => PATH,
    keeps: newCourseForm.names,
  } as const
  app.post(PATH, { config }, async (request, reply) => {
    const person = requireMaker(request)
    const form = newCourseForm.parse(request.body)
    const suggested = withSuggestedTemplate(request.body, form, form.typed.language)
    if (suggested !== null) return showForm(request, reply, suggested)
    if (!form.ok) return showForm(request, reply, form, 422)
    const lectures = await lecturesOf(form.values.lectures, form)
    if (!Array.isArray(lectures)) return showForm(request, reply, lectures, 422)
    const path = await postOnce(app.db, onceOf(request, person.id), async (write) => {
      const course = await makeCourse(write, person, form.values)
      await setLectures(write, course.id, lectures)
      noteEvent(request, 'course-made', { courseId: course.id, likeId: null })
      return coursePath(course.slug)
    })
    return reply.flash('courseSettings.flash.made').redirect(path, 303)
  })
}

/** @throws Problem 403 */
function requireMaker(request: FastifyRequest): Person {
  const person = request.requirePerson()
  if (!may(person, 'make-course')) throw forbidden()
  return person
}

/** The instructor is the named person, once they have confirmed their address; otherwise the creator. */
async function makeCourse(write: Write, person: Person, values: ValuesOf<typeof newCourseForm>) {
  const { title, field, description, language, time_zone: timeZone, visibility, instructor } = values
  const { asking, accent, promise_hours, question_template, synonyms } = values
  const { allows_private, allows_anonymous, allows_embeddings } = values
  const isPublic = visibility === 'public'
  const course = await createCourse(write, { title, field, description, language, timeZone, isPublic })
  await write
    .updateTable('courses')
    .set({ asking, accent, promise_hours, question_template, synonyms })
    .set({ allows_private, allows_anonymous, allows_embeddings })
    .where('id', '=', course.id)
    .execute()
  if (instructor === null) await addMember(write, course.id, person.id, 'instructor')
  else await giveRole(write, course.id, instructor, 'instructor')
  return course
}

async function lecturesOf(text: string, form: FormState) {
  if (text === '') return []
  try {
    const { lectures } = await readLongLectures(text)
    if (lectures.length <= MAX_LECTURES) return lectures
    return refuse(form, 'lectures', 'lectures.many', { max: MAX_LECTURES })
  } catch (error) {
    if (!(error instanceof LectureFileError)) throw error
    return { ...form, errors: error.faults.map((message) => ({ field: 'lectures', message })) }
  }
}

function showForm(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'course-settings/new',
    { title: t('courseSettings.new.title'), ...settingFields(request, form) },
    { status, isForStaff: true, script: 'timeZones' },
  )
}
