import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../operations/posted-once.ts'
import { refuse, typedFields } from '../../web/form.ts'
import { onceOf } from '../../web/once.ts'
import { textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { versionOf } from '../questions/version.ts'
import { registerCategories } from './categories.ts'
import { archiveCourse, changeSettings, copyCourse } from './commands.ts'
import { showCopy } from './copy-page.ts'
import { archiveForm, copyForm, SECTION_NAMES, SETTING_NAMES, settingsForm, settingsIn } from './form.ts'
import { registerNewCourse } from './new-course.ts'
import { findSettings } from './queries.ts'
import { isSame, showSettings } from './settings-page.ts'
import { withSuggestedTemplate } from './suggested-template.ts'
import { registerCourseTokens } from './tokens.ts'

const settingsPath = (request: FastifyRequest) => courseSettingsPath(textParam(request, 'course'))
const copyPage = (request: FastifyRequest) => `${settingsPath(request)}/copy`

/** How a course is run from the browser: its settings, categories, archive, and its copy for the next run. */
export function registerCourseSettings(app: FastifyInstance): void {
  registerNewCourse(app)
  registerCategories(app)
  registerCourseTokens(app)
  registerSettings(app)
  const config = { limit: 'posting', needsPerson: true, formPage: copyPage } as const

  app.get('/courses/:course/settings/copy', async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const kept = await findKeptForm(request)
    return showCopy(request, reply, course, kept === null ? {} : { form: restoredForm(request, kept) })
  })

  app.post('/courses/:course/archive', { config }, async (request, reply) => {
    const { id: courseId, slug } = await courseFor(request, 'manage')
    const form = archiveForm.parse(request.body)
    if (!form.ok) return showCopy(request, reply, await courseFor(request, 'manage'), { status: 422 })
    const isArchived = form.values.value === '1'
    await archiveCourse(app.db, courseId, isArchived)
    noteEvent(request, 'course-archived', { courseId, isArchived })
    return reply
      .flash(`courseSettings.flash.${isArchived ? 'archived' : 'reopened'}`)
      .redirect(`${courseSettingsPath(slug)}/copy`, 303)
  })

  app.post(
    '/courses/:course/copy',
    { config: { ...config, keeps: copyForm.names } },
    async (request, reply) => {
      const person = request.requirePerson()
      const course = await courseFor(request, 'manage')
      const form = copyForm.parse(request.body)
      if (!form.ok) return showCopy(request, reply, course, { status: 422, form })
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
    const names = settingsIn(kept)
    const typed = Object.fromEntries(names.map((name) => [name, kept[name] ?? '']))
    return showSettings(request, reply, course, {
      form: restoredForm(request, typed),
      begunWith: versionOf(kept),
    })
  })

  const keeps = [...SETTING_NAMES, 'section', 'version']
  const config = { limit: 'posting', needsPerson: true, formPage: settingsPath, keeps } as const
  app.post('/courses/:course/settings', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const form = settingsForm(settingsIn(request.body)).parse(request.body)
    const begunWith = versionOf(request.body)
    const { typed } = await findSettings(app.db, course.id)
    const suggested = withSuggestedTemplate(request.body, form, form.typed.language ?? typed.language)
    if (suggested !== null) return showSettings(request, reply, course, { form: suggested, begunWith })
    if (!form.ok) return showSettings(request, reply, course, { status: 422, form, begunWith })
    const outcome =
      begunWith === null ? 'conflict' : await changeSettings(app.db, course.id, form.values, begunWith)
    if (outcome === 'conflict' && !isSame(await findSettings(app.db, course.id), form.typed)) {
      const [first = 'title'] = Object.keys(form.typed)
      const refused = refuse(form, first, 'courseSettings.conflict.summary')
      return showSettings(request, reply, course, { status: 409, form: refused, begunWith: null })
    }
    noteEvent(request, 'course-settings-changed', { courseId: course.id })
    const section = SECTION_NAMES.find((name) => name === typedFields(request.body).section)
    const place = section === undefined || section === 'general' ? '' : `#${section}`
    return reply
      .flash('courseSettings.flash.saved')
      .redirect(`${courseSettingsPath(course.slug)}${place}`, 303)
  })
}
