import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { flag, markdown, plain, titleLine } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound, refusal } from '../../kernel/problem.ts'
import { course } from '../courses/find-course.ts'
import { POST_BODY, version } from '../posts/form.ts'
import { nearMissIn } from './placeholders.ts'

/** A course's staff write them by hand: there are few. */
const MAX_SHOWN = 200

export type SavedAnswer = Awaited<ReturnType<typeof listSavedAnswers>>[number]

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

export const TITLE_MAX = 100

/**
 * Saves an answer that a course's staff give often, or changes the one of `id`. What is nearly a placeholder is pointed out, and saved as
 * it is with `as_is`. @throws EditedMeanwhile
 */
export const answerSaving = operation({
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
export async function savedAnswer(db: Database, courseId: number, id: string) {
  if (id === '') return null
  const found = await findSavedAnswer(db, courseId, id)
  if (found === null) throw notFound()
  return found
}
