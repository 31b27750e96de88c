import type { Write } from '../../database/schema.ts'
import { performIn, prepare } from '../../kernel/perform.ts'
import { notFound } from '../../kernel/problem.ts'
import { questionClosing } from '../desk/closing.ts'
import { questionMove } from '../desk/moving.ts'
import { findQuestionSource, type QuestionSource } from '../posts/source.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { tagsMeant } from '../tags/tagging.ts'
import { MODERATION_ACTS } from './moderation-acts.ts'
import { type BulkAct, type Item, type Kept, part, type Step } from './record.ts'

/** What is done to several posts or cases, each time by the operation that does it to one, which asks who may. */
export const BULK_ACTS = {
  lecture: { prepare: moving, prepareUndo: movingBack },
  tag: {
    async prepare(item, kept) {
      const source = await findQuestionSource(item.db, item.id)
      const wished = await tagsMeant(item.db, item.courseId ?? 0, [...source.tags, ...tagsIn(kept)])
      const added = wished.filter((name) => !source.tags.includes(name))
      return tagging(item, source, wished, added.length === 0 ? null : { tags: added })
    },
    async prepareUndo(item, kept) {
      const source = await findQuestionSource(item.db, item.id)
      const left = source.tags.filter((name) => !tagsIn(kept).includes(name))
      return tagging(item, source, left, left.length === source.tags.length ? null : {})
    },
  },
  close: { prepare: closing, prepareUndo: reopening },
  ...MODERATION_ACTS,
} as const satisfies Record<string, BulkAct>

const tagsIn = ({ tags }: Kept): readonly string[] => (Array.isArray(tags) ? tags : [])

/** A question as it is now, locked, where it is of the course of the act. @throws Problem 'notFound' */
function questionNow(write: Write, { id, courseId }: Item) {
  return write
    .selectFrom('questions as q')
    .select(['q.closing_reason', 'q.duplicate_of', 'q.lecture_id'])
    .where('q.id', '=', id)
    .where('q.course_id', '=', courseId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())
}

async function moving(item: Item, { lecture }: Kept): Promise<Step> {
  const move = await prepare(item.db, questionMove, { ...part(item), key: item.id, input: { lecture } })
  return async (write, around) => {
    await questionNow(write, item)
    const { isMoved, before } = await performIn(write, move, around)
    if (!isMoved) return null
    return { lecture: before.position ?? '', moved: (await questionNow(write, item)).lecture_id }
  }
}

async function movingBack(item: Item, { lecture, moved }: Kept): Promise<Step> {
  const move = await prepare(item.db, questionMove, { ...part(item), key: item.id, input: { lecture } })
  return async (write, around) => {
    // Somebody moved it on.
    if ((await questionNow(write, item)).lecture_id !== moved) return null
    await performIn(write, move, around)
    return {}
  }
}

/** @param undo null: it is so already */
async function tagging(
  item: Item,
  source: QuestionSource,
  tags: readonly string[],
  undo: Kept | null,
): Promise<Step> {
  const { title, body, category, lecture, version } = source
  const input = { title, body, tags, category, lecture: String(lecture ?? ''), version }
  const edit = undo && (await prepare(item.db, editQuestion, { ...part(item), key: item.id, input }))
  return async (write, around) => {
    await questionNow(write, item)
    if (edit !== null) await performIn(write, edit, around)
    return undo
  }
}

/** What was closed for another reason is closed for this one, and for that again when it is undone. */
async function closing(item: Item, kept: Kept): Promise<Step> {
  const reason = String(kept.reason)
  const close = await prepareClosing(item, reason, '')
  return async (write, around) => {
    const { closing_reason: before, duplicate_of: duplicate } = await questionNow(write, item)
    if (before === reason) return null
    await performIn(write, close, around)
    return { reason, before: before ?? '', duplicate: String(duplicate ?? '') }
  }
}

async function reopening(item: Item, kept: Kept): Promise<Step> {
  const duplicate = kept.before === 'solved-elsewhere' ? String(kept.duplicate) : ''
  const reopen = await prepareClosing(item, String(kept.before), duplicate)
  return async (write, around) => {
    // Somebody opened it, or closed it for something else.
    if ((await questionNow(write, item)).closing_reason !== kept.reason) return null
    await performIn(write, reopen, around)
    return {}
  }
}

const prepareClosing = (item: Item, reason: string, duplicate: string) =>
  prepare(item.db, questionClosing, {
    ...{ ...part(item), key: { id: item.id, duplicate }, input: { reason, duplicate } },
  })
