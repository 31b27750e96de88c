import type { Database, Write } from '../../database/schema.ts'
import { flag, markdown, plain, titleLine } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { EditedMeanwhile, refusal } from '../../operations/refused.ts'
import { course } from '../courses/subjects.ts'
import { POST_BODY, version } from '../posts/form.ts'
import { nearMissIn } from './placeholders.ts'
import {
  addSavedAnswer,
  findSavedAnswer,
  removeSavedAnswer,
  type SavedAnswer,
  saveAnswer,
} from './saved-answers.ts'

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

/** Removes a saved answer. */
export const savedAnswerRemoval = operation({
  name: 'remove-saved-answer',
  right: 'work-desk',
  find: course,
  input: { id: plain },
  async run({ write, subject: { id: courseId, slug }, input }) {
    const edited = await savedAnswer(write, courseId, input.id)
    if (edited !== null) await removeSavedAnswer(write, courseId, edited.id)
    return { slug }
  },
})

/** The one that a form or an address names; null: it names none. @throws Problem 404 */
export async function savedAnswer(
  db: Database | Write,
  courseId: number,
  id: string,
): Promise<SavedAnswer | null> {
  if (id === '') return null
  const found = /^[1-9]\d{0,14}$/.test(id) ? await findSavedAnswer(db, courseId, Number(id)) : null
  if (found === null) throw notFound()
  return found
}
