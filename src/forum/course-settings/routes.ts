import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { EditedMeanwhile, forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/appearance.ts'
import { type FormState, freshForm, refuse, sentFields, typedFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, courseSettingsPath } from '../../web/paths.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { courseFor } from '../courses/find-course.ts'
import { registerFirstSteps } from '../courses/first-steps.ts'
import { versionOf } from '../posts/editing.ts'
import { registerCourseBlocklist } from './blocklist.ts'
import { courseCopy } from './copy.ts'
import { showCopy } from './copy-page.ts'
import { runningPage } from './nav.ts'
import {
  categoryChange,
  categoryMaking,
  categoryRemoval,
  courseArchiving,
  courseMaking,
  settingsChange,
} from './operations.ts'
import { renaming } from './renaming.ts'
import { findSettings, listCategories, SECTION_NAMES, SETTING_NAMES, settingsIn } from './settings.ts'
import { settingFields, showSettings } from './settings-page.ts'
import { registerCourseTags } from './tags.ts'
import { registerCourseTokens } from './tokens.ts'

const key = (request: FastifyRequest) => textParam(request, 'course')
const settingsPath = (request: FastifyRequest) => courseSettingsPath(key(request))
const copyPage = (request: FastifyRequest) => `${settingsPath(request)}/copy`

export function registerCourseSettings(app: FastifyInstance): void {
  registerNewCourse(app)
  registerCategories(app)
  registerCourseTags(app)
  registerCourseBlocklist(app)
  registerCourseTokens(app)
  if (app.changes !== null) app.jobs.start(renaming(app.db))
  registerSettings(app)
  registerFirstSteps(app)

  app.get('/courses/:course/settings/copy', async (request, reply) => {
    const kept = await findKeptForm(request)
    return showCopy(request, reply, kept === null ? undefined : restoredForm(request, kept))
  })

  openForm(app, '/courses/:course/archive', courseArchiving, {
    key,
    formPage: copyPage,
    done: ({ slug }) => `${courseSettingsPath(slug)}/copy`,
    flash: (_, done) => `courseSettings.flash.${done?.isArchived === true ? 'archived' : 'reopened'}`,
    refused: (request, reply) => showCopy(request, reply),
  })
  openForm(app, '/courses/:course/copy', courseCopy, {
    key,
    formPage: copyPage,
    keeps: true,
    boxes: ['lecture', 'tag'],
    done: ({ slug }) => courseSettingsPath(slug),
    flash: () => 'courseSettings.flash.copied',
    refused: showCopy,
  })
}

function registerSettings(app: FastifyInstance): void {
  app.get('/courses/:course/settings', async (request, reply) => {
    const kept = await findKeptForm(request)
    if (kept === null) return showSettings(request, reply)
    const names = settingsIn(kept)
    const typed = Object.fromEntries(names.map((name) => [name, kept[name] ?? '']))
    return showSettings(request, reply, {
      form: restoredForm(request, typed),
      begunWith: versionOf(kept),
    })
  })

  openForm(app, '/courses/:course/settings', settingsChange, {
    key,
    formPage: settingsPath,
    keeps: [...SETTING_NAMES, 'section', 'version'],
    async instead(request, reply) {
      if (typedFields(request.body)[SUGGEST] !== '1') return null
      const course = await courseFor(request, 'manage')
      const typed = typedSettings(request)
      const language = typed.language ?? (await findSettings(app.db, course.id)).typed.language
      const form = withSuggestedTemplate(request.body, freshForm(typed), language) ?? freshForm(typed)
      return showSettings(request, reply, { form, begunWith: versionOf(request.body) })
    },
    input: ({ body }) => {
      const sent = sentFields(body)
      const chosen = settingsIn(body).map((name) => [name, sent[name] ?? ''])
      return { ...Object.fromEntries(chosen), version: sent.version }
    },
    done({ slug }, request) {
      const section = SECTION_NAMES.find((name) => name === typedFields(request.body).section)
      return `${courseSettingsPath(slug)}${section === undefined || section === 'general' ? '' : `#${section}`}`
    },
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'courseSettings.flash.saved'),
    refused: (request, reply, { errors }) =>
      showSettings(request, reply, {
        form: { typed: typedSettings(request), errors },
        begunWith: versionOf(request.body),
      }),
    failed: (request, reply, error) =>
      error instanceof EditedMeanwhile ? showConflict(request, reply) : null,
  })
}

const typedSettings = ({ body }: FastifyRequest) => typedIn(body, settingsIn(body))

async function showConflict(request: FastifyRequest, reply: FastifyReply) {
  const typed = typedSettings(request)
  const [first = 'title'] = Object.keys(typed)
  const form = refuse(freshForm(typed), first, 'courseSettings.conflict.summary')
  return showSettings(request, reply, { form, begunWith: null })
}

function registerCategories(app: FastifyInstance): void {
  const partIn = (request: FastifyRequest) => ({ slug: key(request), part: idParam(request, 'id') })
  const shared = {
    formPage: (request: FastifyRequest) => categoriesPath(key(request)),
    done: ({ slug }: { readonly slug: string }) => categoriesPath(slug),
    flash: () => 'courseSettings.flash.saved',
  }
  app.get('/courses/:course/categories', (request, reply) => showCategories(request, reply))
  openForm(app, '/courses/:course/categories', categoryMaking, {
    ...shared,
    key,
    refused: showCategories,
  })
  openForm(app, '/courses/:course/categories/:id', categoryChange, {
    ...shared,
    key: partIn,
    refused: (request, reply, form) => showCategories(request, reply, form, partIn(request).part),
  })
  openForm(app, '/courses/:course/categories/:id/removal', categoryRemoval, { ...shared, key: partIn })
}

/** `refused`: the form of the category `refusedId`, or (null) of a new one. */
export const showCategories = runningPage(
  'course-settings/categories',
  'categories',
  { script: 'settings' },
  async (context, refused: FormState = freshForm(), refusedId: number | null = null) => {
    const { t, db, course } = context
    const categories = await listCategories(db, course.id)
    const action = categoriesPath(course.slug)
    const form = refusedId === null ? refused : freshForm()
    return {
      title: t('courseSettings.categories.title'),
      action,
      form,
      fields: context.formFields('courseCategory', categoryMaking.input, form),
      categories: categories.map(({ id, slug, name }) => ({
        name: slug === DEFAULT_CATEGORY.slug ? t('questions.category.default') : name,
        action: slug === DEFAULT_CATEGORY.slug ? null : `${action}/${id}`,
        form: refusedId === id ? refused : freshForm({ name }),
      })),
    }
  },
)

const categoriesPath = (slug: string) => `${coursePath(slug)}/categories`

const PATH = '/courses/new'

function registerNewCourse(app: FastifyInstance): void {
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

  openForm(app, PATH, courseMaking, {
    key: () => null,
    formPage: () => PATH,
    keeps: true,
    async instead(request, reply) {
      requireMaker(request)
      const typed = typedIn(request.body, Object.keys(courseMaking.input))
      const suggested = withSuggestedTemplate(request.body, freshForm(typed), typed.language)
      return suggested === null ? null : showForm(request, reply, suggested)
    },
    done: ({ slug }) => coursePath(slug),
    flash: () => 'courseSettings.flash.made',
    refused: showForm,
  })
}

/** @throws Problem 403 */
function requireMaker(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'make-course')) throw forbidden()
}

export const showForm = page(
  'course-settings/new',
  { isForStaff: true, script: 'timeZones' },
  async (context, form: FormState) => ({
    title: context.t('courseSettings.new.title'),
    sections: SECTION_NAMES,
    ...settingFields(context, form, { isNew: true }),
  }),
)

/** The button that puts the template in which the forum suggests, in the language of the course; nothing is saved. */
const SUGGEST = 'suggest'

/** A settings form that asked for the suggested template, with it; null: it was sent to be saved. */
function withSuggestedTemplate(body: unknown, form: FormState, language: string | undefined) {
  if (typedFields(body)[SUGGEST] !== '1') return null
  const t = translatorOf(language === 'ko' ? 'ko' : 'en')
  const headings = ['tried', 'expected', 'happened'].map(
    (name) => `**${t(`courseSettings.question_template.${name}`)}**`,
  )
  return freshForm({ ...form.typed, question_template: `${headings.join('\n\n\n')}\n` })
}
