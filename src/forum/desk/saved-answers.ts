import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import type { Database, Write } from '../../database/schema.ts'
import { flag, markdown, plain, titleLine } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound, refusal } from '../../kernel/problem.ts'
import { type FormState, refuse, sentFields, typedFields } from '../../web/form.ts'
import { formOf, openForms } from '../../web/forms/door.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { coursePage } from '../courses/course-page.ts'
import { course } from '../courses/find-course.ts'
import { POST_BODY, version } from '../posts/form.ts'
import { nearMissIn } from './placeholders.ts'

/** A course's staff write them by hand: there are few. */
const MAX_SHOWN = 200

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

interface Saved {
  readonly title: string
  readonly body: string
}

export function addSavedAnswer(write: Write, { courseId, ...saved }: Saved & { readonly courseId: number }) {
  return write
    .insertInto('saved_answers')
    .values({ course_id: courseId, ...saved })
    .execute()
}

/** @param version the one that its editor began with @throws EditedMeanwhile */
async function change(write: Write, id: number, version: number, saved: Saved) {
  const changed = await write
    .updateTable('saved_answers')
    .set({ ...saved, version: version + 1, saved_at: sql`now()` })
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) throw new EditedMeanwhile()
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

const text = {
  title: titleLine({ min: 1, max: TITLE_MAX, short: 'desk.saved.noName' }),
  body: markdown({ ...POST_BODY, short: 'desk.saved.noText' }),
}

/**
 * Saves an answer that a course's staff give often, or changes the one of `id`. What is nearly a placeholder is pointed out, and saved as
 * it is with `as_is`. @throws EditedMeanwhile
 */
export const answerSaving = operation({
  name: 'save-answer',
  right: 'work-desk',
  find: course,
  input: { id: plain, ...text, version, as_is: flag },
  async run({ write, subject: { id: courseId, slug }, input: { id, title, body, version, as_is: asIs } }) {
    const edited = await savedAnswer(write, courseId, id)
    const nearMiss = asIs ? null : nearMissIn(body.source)
    if (nearMiss !== null) throw refusal('body', 'desk.saved.nearMiss', { ...nearMiss })
    const saved = { title, body: body.source }
    if (edited?.title === title && edited.body === body.source && edited.version === version)
      return { slug, isChanged: false }
    if (await isTaken(write, courseId, title, edited?.id ?? 0)) throw refusal('title', 'desk.saved.taken')
    if (edited === null) await addSavedAnswer(write, { courseId, ...saved })
    else await change(write, edited.id, version ?? 0, saved)
    return { slug, isChanged: true }
  },
})

export const savedAnswerRemoval = operation({
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
    const form = restoredForm(request, await findKeptForm(request))
    return showSaved(request, reply, queryParam(request, 'edit') ?? '', form)
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
    refused: showAgain,
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? showAgain(request, reply, refuse(form, 'body', 'posts.conflict.summary'))
        : null,
  })
  const removal = formOf(savedAnswerRemoval, { ...shared, flash: () => 'desk.flash.savedGone' })
  openForms(app, path, [saving, removal], ({ body }) =>
    typedFields(body).remove === undefined ? saving : removal,
  )
}

const showAgain = (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
  showSaved(request, reply, form.typed.id ?? '', form)

/** Where the form stands that was sent: of the one that it edits, or of a new one. */
function savedPage(request: FastifyRequest): string {
  const { id = '' } = typedFields(request.body)
  return pathWith(`${deskPath(textParam(request, 'course'))}/saved`, { edit: id || null })
}

/** `id`: of the one that is edited, as it was typed; '': of a new one. */
export const showSaved = coursePage(
  'desk/saved',
  { right: 'work-desk', place: 'desk', isBelow: true, robots: 'noindex', isForStaff: true, showsTexts: true },
  async ({ t, formFields, db, course }, id: string, sent: FormState) => {
    const edited = await savedAnswer(db, course.id, id)
    const answers = await listSavedAnswers(db, course.id)
    const path = `${deskPath(course.slug)}/saved`
    const { title = '', body = '' } = edited ?? {}
    const form = { ...sent, typed: { title, body, ...sent.typed } }
    return {
      title: t('desk.saved.title'),
      action: path,
      deskPath: deskPath(course.slug),
      answers: answers.map((one) => ({ ...one, editPath: `${pathWith(path, { edit: one.id })}#edit` })),
      form,
      fields: formFields('savedAnswer', text, form, {
        title: { max: TITLE_MAX, maxlength: undefined },
        body: {
          rows: 7,
          to: path,
          hintValues: { name: '{name}', title: '{title}', lecture: '{lecture}' },
        },
      }),
      // The text has what is nearly a placeholder, and may be meant so.
      canSaveAsIs: sent.errors.some(({ message }) => message.key === 'desk.saved.nearMiss'),
      edited,
      head: { about: edited?.title ?? null },
    }
  },
)
