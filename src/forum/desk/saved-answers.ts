import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import type { Database, Write } from '../../database/schema.ts'
import { flag, markdown, plain, titleLine } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound, refusal } from '../../kernel/problem.ts'
import { type FormState, refuse, sentFields, typedFields } from '../../web/form.ts'
import { formOf, openForms } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { course, courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { POST_BODY, version } from '../posts/form.ts'
import { nearMissIn } from './placeholders.ts'

/** A course's staff write them by hand: there are few. */
const MAX_SHOWN = 200

type SavedAnswer = Awaited<ReturnType<typeof listSavedAnswers>>[number]

export function listSavedAnswers(db: Database, courseId: number) {
  return select(db, courseId).orderBy('title').limit(MAX_SHOWN).execute()
}

/** @param id as it was typed */
export async function findSavedAnswer(db: Database, courseId: number, id: string) {
  if (!/^[1-9]\d{0,14}$/.test(id)) return null
  return (await select(db, courseId).where('id', '=', Number(id)).executeTakeFirst()) ?? null
}

function select(db: Database, courseId: number) {
  return db
    .selectFrom('saved_answers')
    .select(['id', 'title', 'body', 'version'])
    .where('course_id', '=', courseId)
}

interface Saving {
  readonly courseId: number
  readonly title: string
  readonly body: string
}

/** 'taken': the course has one of that title. 'conflict': somebody changed it meanwhile. */
type SavingOutcome = 'done' | 'taken' | 'conflict'

export async function addSavedAnswer(write: Write, { courseId, title, body }: Saving) {
  if (await isTaken(write, courseId, title, 0)) return 'taken'
  await write.insertInto('saved_answers').values({ course_id: courseId, title, body }).execute()
  return 'done'
}

/** @param saved `version`: the one the editor began with */
async function saveAnswer(
  write: Write,
  { courseId, id, title, body, version }: Saving & { readonly id: number; readonly version: number },
): Promise<SavingOutcome> {
  if (await isTaken(write, courseId, title, id)) return 'taken'
  const changed = await write
    .updateTable('saved_answers')
    .set({ title, body, version: version + 1, saved_at: sql`now()` })
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('id')
    .executeTakeFirst()
  return changed === undefined ? 'conflict' : 'done'
}

/** Whether another one has the title. Somebody who saves one in the course at the same time waits. */
async function isTaken(write: Write, courseId: number, title: string, id: number): Promise<boolean> {
  await write.selectFrom('courses').select('id').where('id', '=', courseId).forNoKeyUpdate().execute()
  const other = await write
    .selectFrom('saved_answers')
    .select('id')
    .where('course_id', '=', courseId)
    .where('title', '=', title)
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

const TITLE_MAX = 100

/**
 * Saves an answer that a course's staff give often, or changes the one of `id`. What is nearly a placeholder is pointed out, and saved as
 * it is with `as_is`. @throws EditedMeanwhile
 */
const answerSaving = operation({
  name: 'save-answer',
  right: 'work-desk',
  find: course,
  input: {
    id: plain,
    title: titleLine({ min: 1, max: TITLE_MAX, short: 'desk.saved.noName' }),
    body: markdown({ ...POST_BODY, short: 'desk.saved.noText' }),
    version,
    as_is: flag,
  },
  async run({ write, subject: { id: courseId, slug }, input: { id, title, body, version, as_is: asIs } }) {
    const edited = await savedAnswer(write, courseId, id)
    const nearMiss = asIs ? null : nearMissIn(body.source)
    if (nearMiss !== null) throw refusal('body', 'desk.saved.nearMiss', { ...nearMiss })
    const saving = { courseId, title, body: body.source }
    if (edited?.title === title && edited.body === body.source && edited.version === version)
      return { slug, isChanged: false }
    const outcome =
      edited === null
        ? await addSavedAnswer(write, saving)
        : await saveAnswer(write, { ...saving, id: edited.id, version: version ?? 0 })
    if (outcome === 'taken') throw refusal('title', 'desk.saved.taken')
    if (outcome === 'conflict') throw new EditedMeanwhile()
    return { slug, isChanged: true }
  },
})

const savedAnswerRemoval = operation({
  name: 'remove-saved-answer',
  right: 'work-desk',
  find: course,
  input: { id: plain },
  async run({ write, subject: { id: courseId, slug }, input }) {
    const edited = await savedAnswer(write, courseId, input.id)
    if (edited !== null) await write.deleteFrom('saved_answers').where('id', '=', edited.id).execute()
    return { slug }
  },
})

/** The one that a form or an address names; null: it names none. @throws Problem 404 */
async function savedAnswer(db: Database, courseId: number, id: string) {
  if (id === '') return null
  const found = await findSavedAnswer(db, courseId, id)
  if (found === null) throw notFound()
  return found
}

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
  return reply.page('desk/saved', await savedAnswersPage(request, course, edited, state, canSaveAsIs), {
    status,
    about: edited?.title ?? null,
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'desk', true),
    robots: 'noindex',
    isForStaff: true,
    showsTexts: true,
  })
}

export async function savedAnswersPage(
  request: FastifyRequest,
  course: Course,
  edited: SavedAnswer | null,
  form: FormState,
  canSaveAsIs: boolean,
) {
  const path = `${deskPath(course.slug)}/saved`
  const answers = await listSavedAnswers(request.server.db, course.id)
  return {
    title: translatorFor(request)('desk.saved.title'),
    action: path,
    deskPath: deskPath(course.slug),
    answers: answers.map(({ id, title, body }) => ({
      title,
      body,
      editPath: `${pathWith(path, { edit: id })}#edit`,
    })),
    form,
    limits: { title: TITLE_MAX, body: POST_BODY.max },
    canSaveAsIs,
    edited: edited === null ? null : { id: edited.id, version: edited.version },
  }
}
