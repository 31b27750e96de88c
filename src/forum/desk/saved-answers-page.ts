import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { line, text } from '../../operations/fields.ts'
import { notFound } from '../../operations/problem.ts'
import { type FormState, form, refuse, typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { POST_BODY } from '../questions/form.ts'
import { versionOf } from '../questions/version.ts'
import { deskCourse } from './place.ts'
import { nearMissIn } from './placeholders.ts'
import {
  addSavedAnswer,
  findSavedAnswer,
  listSavedAnswers,
  removeSavedAnswer,
  type SavedAnswer,
  saveAnswer,
} from './saved-answers.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'desk/saved': SavedAnswersPage
  }
}

/** The saved answers of a course, and the form for one more, or for the one that is edited. */
export interface SavedAnswersPage {
  readonly action: string
  readonly deskPath: string
  readonly answers: readonly { readonly title: string; readonly body: string; readonly editPath: string }[]
  readonly form: FormState
  readonly limits: { readonly title: number; readonly body: number }
  /** The text has what is nearly a placeholder, and may be meant so. */
  readonly canSaveAsIs: boolean
  /** null: a new one. */
  readonly edited: { readonly id: number; readonly version: number } | null
}

const TITLE_MAX = 100
const savedForm = form({
  title: line({ min: 1, max: TITLE_MAX, short: 'desk.saved.noName' }),
  body: text({ ...POST_BODY, short: 'desk.saved.noText' }),
})

/**
 * The answers that a course's staff save for each other. `id` in the form: that one is changed, or goes with `remove`. What is nearly
 * a placeholder is pointed out, and saved as it is with `as_is`.
 */
export function registerSavedAnswers(app: FastifyInstance): void {
  app.get('/courses/:course/desk/saved', async (request, reply) => {
    const course = await deskCourse(request)
    const edited = await namedOne(request, course, queryParam(request, 'edit') ?? '')
    const { title = '', body = '' } = edited ?? {}
    const state = restoredForm(request, await findKeptForm(request), { title, body })
    return showSaved(request, reply, course, edited, state)
  })

  const config = {
    limit: 'posting',
    needsPerson: true,
    formPage: savedPage,
    keeps: savedForm.names,
  } as const
  app.post('/courses/:course/desk/saved', { config }, async (request, reply) => {
    const course = await deskCourse(request)
    const { id = '', remove, as_is: asIs } = typedFields(request.body)
    const edited = await namedOne(request, course, id)
    const done = (what: string) =>
      reply.flash(`desk.flash.${what}`).redirect(`${deskPath(course.slug)}/saved`, 303)
    if (remove !== undefined) {
      if (edited !== null) await removeSavedAnswer(app.db, course.id, edited.id)
      return done('savedGone')
    }
    const sent = savedForm.parse(request.body)
    const version = versionOf(request.body)
    if (!sent.ok) return showSaved(request, reply, course, edited, sent, 422)
    const nearMiss = asIs === undefined ? nearMissIn(sent.values.body) : null
    if (nearMiss !== null) {
      const refused = refuse(sent, 'body', 'desk.saved.nearMiss', { ...nearMiss })
      return showSaved(request, reply, course, edited, refused, 422, true)
    }
    const values = { courseId: course.id, ...sent.values }
    const outcome =
      edited === null
        ? await addSavedAnswer(app.db, values)
        : await saveAnswer(app.db, { ...values, id: edited.id, version: version ?? 0 })
    if (outcome === 'done') return done('saved')
    const [key, status] =
      outcome === 'taken' ? (['desk.saved.taken', 422] as const) : (['posts.conflict.summary', 409] as const)
    return showSaved(
      request,
      reply,
      course,
      edited,
      refuse(sent, outcome === 'taken' ? 'title' : 'body', key),
      status,
    )
  })
}

/** Where the form stands that was sent: of the one that it edits, or of a new one. */
function savedPage(request: FastifyRequest): string {
  const { id = '' } = typedFields(request.body)
  return pathWith(`${deskPath(textParam(request, 'course'))}/saved`, { edit: id || null })
}

async function namedOne(request: FastifyRequest, course: Course, id: string): Promise<SavedAnswer | null> {
  if (id === '') return null
  const found = /^[1-9]\d{0,14}$/.test(id)
    ? await findSavedAnswer(request.server.db, course.id, Number(id))
    : null
  if (found === null) throw notFound()
  return found
}

async function showSaved(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  edited: SavedAnswer | null,
  state: FormState,
  status = 200,
  canSaveAsIs = false,
) {
  const path = `${deskPath(course.slug)}/saved`
  const answers = await listSavedAnswers(request.server.db, course.id)
  return reply.page(
    'desk/saved',
    {
      title: translatorOf(languageOfRequest(request))('desk.saved.title'),
      action: path,
      deskPath: deskPath(course.slug),
      answers: answers.map(({ id, title, body }) => ({
        title,
        body,
        editPath: `${pathWith(path, { edit: id })}#edit`,
      })),
      form: state,
      limits: { title: TITLE_MAX, body: POST_BODY.max },
      canSaveAsIs,
      edited: edited === null ? null : { id: edited.id, version: edited.version },
    },
    {
      status,
      about: edited?.title ?? null,
      course: course.slug,
      bar: await barOf(request, course, 'desk', true),
      robots: 'noindex',
      isForStaff: true,
      showsTexts: true,
    },
  )
}
