import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { type FormState, refuse, sentFields, typedFields } from '../../web/form.ts'
import { formOf, openForms } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { POST_BODY } from '../posts/form.ts'
import {
  answerSaving,
  listSavedAnswers,
  type SavedAnswer,
  savedAnswer,
  savedAnswerRemoval,
  TITLE_MAX,
} from './saved-answers.ts'

/** The answers that a course's staff save for each other. `id` in the form: that one is changed, or goes with `remove`. */
export function registerSavedAnswers(app: FastifyInstance): void {
  const path = '/courses/:course/desk/saved'
  app.get(path, async (request, reply) => {
    const course = await courseFor(request, 'work-desk')
    const edited = await savedAnswer(app.db, course.id, queryParam(request, 'edit') ?? '')
    const { title = '', body = '' } = edited ?? {}
    const state = restoredForm(request, await findKeptForm(request), { title, body })
    return showSaved(request, reply, course, edited, state)
  })

  const shared = {
    key: (request: FastifyRequest) => textParam(request, 'course'),
    formPage: savedPage,
    done: ({ slug }: { readonly slug: string }) => `${deskPath(slug)}/saved`,
  }
  const saving = formOf(answerSaving, {
    ...shared,
    keeps: ['title', 'body'],
    input({ body }) {
      const sent = sentFields(body)
      return { ...sent, as_is: sent.as_is !== undefined }
    },
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'desk.flash.saved'),
    refused: (request, reply, form) => showAgain(request, reply, form, 422),
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? showAgain(request, reply, refuse(form, 'body', 'posts.conflict.summary'), 409)
        : null,
  })
  const removal = formOf(savedAnswerRemoval, { ...shared, flash: () => 'desk.flash.savedGone' })
  openForms(app, path, [saving, removal], ({ body }) =>
    typedFields(body).remove === undefined ? saving : removal,
  )
}

/** `canSaveAsIs`: the text has what is nearly a placeholder, and may be meant so. */
async function showAgain(request: FastifyRequest, reply: FastifyReply, form: FormState, status: number) {
  const course = await courseFor(request, 'work-desk')
  const edited = await savedAnswer(request.server.db, course.id, form.typed.id ?? '')
  const canSaveAsIs = form.errors.some(({ message }) => message.key === 'desk.saved.nearMiss')
  return showSaved(request, reply, course, edited, form, status, canSaveAsIs)
}

/** Where the form stands that was sent: of the one that it edits, or of a new one. */
function savedPage(request: FastifyRequest): string {
  const { id = '' } = typedFields(request.body)
  return pathWith(`${deskPath(textParam(request, 'course'))}/saved`, { edit: id || null })
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
      title: translatorFor(request)('desk.saved.title'),
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
