import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../database/posted-once.ts'
import { refuse } from '../../web/form.ts'
import { onceOf } from '../../web/once.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { versionOf } from '../questions/version.ts'
import { registerCategories } from './categories.ts'
import { archiveCourse, changeSettings, copyCourse } from './commands.ts'
import { archiveForm, copyForm, settingsForm } from './form.ts'
import { registerNewCourse } from './new-course.ts'
import { findSettings } from './queries.ts'
import { isSame, showSettings } from './settings-page.ts'
import { withSuggestedTemplate } from './suggested-template.ts'

const settingsPath = (request: FastifyRequest) => courseSettingsPath(textParam(request, 'course'))
const copyPage = (request: FastifyRequest) => `${settingsPath(request)}?form=copy#copy`

/** How a course is run from the browser: its settings, categories, archive, and its copy for the next run. */
export function registerCourseSettings(app: FastifyInstance): void {
  registerNewCourse(app)
  registerCategories(app)
  registerSettings(app)
  const config = { limit: 'posting', needsPerson: true, formPage: settingsPath } as const

  app.post('/courses/:course/archive', { config }, async (request, reply) => {
    const { id: courseId, slug } = await courseFor(request, 'manage')
    const form = archiveForm.parse(request.body)
    if (!form.ok) return showSettings(request, reply, await courseFor(request, 'manage'), { status: 422 })
    const isArchived = form.values.value === '1'
    await archiveCourse(app.db, courseId, isArchived)
    noteEvent(request, 'course-archived', { courseId, isArchived })
    return reply
      .flash(`courseSettings.flash.${isArchived ? 'archived' : 'reopened'}`)
      .redirect(courseSettingsPath(slug), 303)
  })

  app.post(
    '/courses/:course/copy',
    { config: { ...config, formPage: copyPage, keeps: copyForm.names } },
    async (request, reply) => {
      const person = request.requirePerson()
      const course = await courseFor(request, 'manage')
      const form = copyForm.parse(request.body)
      if (!form.ok) return showSettings(request, reply, course, { status: 422, copyForm: form })
      const path = await postOnce(app.db, onceOf(request, person.id), async (write) => {
        const copy = await copyCourse(write, course.id, form.values.title, person.id)
        noteEvent(request, 'course-made', { courseId: copy.id, likeId: course.id })
        return courseSettingsPath(copy.slug)
      })
      return reply.flash('courseSettings.flash.copied').redirect(path, 303)
    },
  )
}

function registerSettings(app: FastifyInstance): void {
  app.get('/courses/:course/settings', async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const kept = await findKeptForm(request)
    if (kept === null) return showSettings(request, reply, course)
    if (queryParam(request, 'form') === 'copy')
      return showSettings(request, reply, course, { copyForm: restoredForm(request, kept) })
    const { typed } = await findSettings(app.db, course.id)
    const form = restoredForm(request, kept, typed)
    return showSettings(request, reply, course, { form, begunWith: versionOf(kept) })
  })

  const keeps = [...settingsForm.names, 'version']
  const config = { limit: 'posting', needsPerson: true, formPage: settingsPath, keeps } as const
  app.post('/courses/:course/settings', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const form = settingsForm.parse(request.body)
    const begunWith = versionOf(request.body)
    const suggested = withSuggestedTemplate(request.body, form)
    if (suggested !== null) return showSettings(request, reply, course, { form: suggested, begunWith })
    if (!form.ok) return showSettings(request, reply, course, { status: 422, form, begunWith })
    const outcome =
      begunWith === null ? 'conflict' : await changeSettings(app.db, course.id, form.values, begunWith)
    if (outcome === 'conflict' && !isSame(await findSettings(app.db, course.id), form.typed)) {
      const refused = refuse(form, 'title', 'courseSettings.conflict.summary')
      return showSettings(request, reply, course, { status: 409, form: refused, begunWith: null })
    }
    noteEvent(request, 'course-settings-changed', { courseId: course.id })
    return reply.flash('courseSettings.flash.saved').redirect(courseSettingsPath(course.slug), 303)
  })
}
