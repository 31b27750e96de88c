import type { ReportReason, Write } from '../../database/schema.ts'
import { performIn, prepare } from '../../kernel/perform.ts'
import { notFound } from '../../kernel/problem.ts'
import { caseDecision, changeGround } from '../cases/decision.ts'
import { measureEnd } from '../cases/endings.ts'
import { lockCase } from '../cases/find.ts'
import { HELD } from '../cases/held.ts'
import { opening } from '../cases/report.ts'
import { spammer, spammerAct, spammerUndo } from '../cases/spammer.ts'
import { findPlace } from '../posts/find.ts'
import { KINDS, type PostTable, TABLES } from '../posts/kinds.ts'
import { SUBJECTS } from '../posts/lock.ts'
import { type BulkAct, type Item, type Kept, part, type Step } from './record.ts'

/**
 * What is done to posts and cases that staff look at, each time by the operation that does it to one, which asks who may. What told people
 * of a post or of an outcome isn't taken back, as it isn't where it is done to one.
 */
export const MODERATION_ACTS = {
  release: { prepare: releasing, prepareUndo: null },
  reject: { prepare: rejecting, prepareUndo: restoring },
  decline: { prepare: declining, prepareUndo: null },
  delete: { prepare: deleting, prepareUndo: restoring },
  spammer: { prepare: marking, prepareUndo: unmarking },
} as const satisfies Record<string, BulkAct>

/** The table of a post. @throws Problem 'notFound' where the item is a case, which is no post */
function tableOf({ kind }: Item): PostTable {
  if (kind === 'case') throw notFound()
  return TABLES[kind]
}

/** A post as it is now, with its question locked, where it is of the course of the act. @throws Problem 'notFound' */
async function postNow(write: Write, item: Item) {
  const post = await SUBJECTS[tableOf(item)](write, item.id)
  if (item.courseId !== null && post.courseId !== item.courseId) throw notFound()
  return post
}

async function releasing(item: Item): Promise<Step> {
  const { release } = HELD[tableOf(item)]
  const letThrough = await prepare(item.db, release, { ...part(item), key: item.id, input: {} })
  return async (write, around) => {
    await postNow(write, item)
    return (await performIn(write, letThrough, around)).isDone ? {} : null
  }
}

async function rejecting(item: Item, { ground, rule, note }: Kept): Promise<Step> {
  const table = tableOf(item)
  const call = { ...part(item), key: item.id, input: { ground, rule, note } }
  const reject = await prepare(item.db, HELD[table].rejection, call)
  return async (write, around) => {
    await postNow(write, item)
    if (!(await performIn(write, reject, around)).isDone) return null
    const matter = write
      .selectFrom('cases')
      .select('id')
      .where(KINDS[table].column, '=', item.id)
      .orderBy('id', 'desc')
      .limit(1)
    return deletionOf(write, (await matter.executeTakeFirstOrThrow()).id)
  }
}

/** An open case with its version, locked; null: it is decided. @throws Problem 'notFound' where it is not of the course of the act */
async function openNow(write: Write, { courseId }: Item, caseId: number) {
  await lockCase(write, caseId)
  const matter = await write
    .selectFrom('cases')
    .select(['id', 'version', 'state'])
    .where('id', '=', caseId)
    .$if(courseId !== null, (query) => query.where('course_id', '=', courseId))
    .executeTakeFirstOrThrow(() => notFound())
  return matter.state === 'open' ? matter : null
}

async function declining(item: Item): Promise<Step> {
  return async (write, around) => {
    const matter = await openNow(write, item, item.id)
    if (matter === null) return null
    const input = { decision: 'decline', version: matter.version }
    const call = { ...part(item), key: matter.id, input }
    await performIn(write, await prepare(item.db, caseDecision, call), around)
    return {}
  }
}

/** As the measure of a case that says why: an open one is decided by it, on the ground of all. */
async function deleting(item: Item, { ground, rule, note }: Kept): Promise<Step> {
  const { kind, id } = item
  const key = kind === 'case' ? null : ({ about: kind, id } as const)
  const open =
    key === null ? null : await prepare(item.db, opening, { ...part(item), key, input: { reason: ground } })
  return async (write, around) => {
    if (open !== null && (await postNow(write, item)).isDeleted) return null
    const caseId = open === null ? id : (await performIn(write, open, around)).caseId
    const matter = await openNow(write, item, caseId)
    if (matter === null) return null
    await changeGround(write, matter.id, ground as ReportReason)
    const { version } = matter
    const input = { decision: 'uphold', version, measure: ['delete'], rule, note }
    const call = { ...part(item), key: matter.id, input }
    await performIn(write, await prepare(item.db, caseDecision, call), around)
    return deletionOf(write, matter.id)
  }
}

/** What the undo of a deletion needs. */
async function deletionOf(write: Write, caseId: number): Promise<Kept> {
  const taken = write.selectFrom('measures').select('id').where('case_id', '=', caseId)
  return { measure: (await taken.where('kind', '=', 'delete').executeTakeFirstOrThrow()).id }
}

async function restoring(item: Item, kept: Kept): Promise<Step> {
  const measureId = Number(kept.measure)
  const lift = await prepare(item.db, measureEnd, { ...part(item), key: measureId, input: { note: '' } })
  return async (write, around) => {
    const measure = write.selectFrom('measures').select('ended_at').where('id', '=', measureId)
    if ((await measure.executeTakeFirst())?.ended_at !== null) return null
    await performIn(write, lift, around)
    return {}
  }
}

/** The author of a post or of what a case is about, in the course of the act. @throws Problem 'notFound' */
async function authorKey(item: Item) {
  const { db, id, courseId } = item
  const of =
    item.kind === 'case'
      ? await db
          .selectFrom('cases')
          .select(['person_id as authorId', 'course_id as courseId'])
          .where('id', '=', id)
          .executeTakeFirst()
      : await findPlace(db, { table: tableOf(item), id })
  if (of === undefined || of.authorId === null) throw notFound()
  if (courseId === null) return { personId: of.authorId, course: '' }
  if (of.courseId !== courseId) throw notFound()
  const place = db.selectFrom('courses').select('slug').where('id', '=', courseId)
  return { personId: of.authorId, course: (await place.executeTakeFirstOrThrow()).slug }
}

/** Whoever wrote several of them is marked once. Of the author alone: it locks all that they wrote, in an order of its own. */
async function marking(item: Item): Promise<Step> {
  const key = await authorKey(item)
  const mark = await prepare(item.db, spammer, { ...part(item), key, input: { domain: [], sure: '1' } })
  return async (write, around) => {
    if (!(await performIn(write, mark, around)).isDone) return null
    return { ...key, case: await markedBy(write, item, key.personId) }
  }
}

async function unmarking(item: Item, kept: Kept): Promise<Step> {
  const key = { personId: Number(kept.personId), course: String(kept.course) }
  const unmark = await prepare(item.db, spammerUndo, { ...part(item), key, input: {} })
  return async (write, around) => {
    // Somebody took it back, and perhaps marked them anew.
    if ((await markedBy(write, item, key.personId)) !== kept.case) return null
    return (await performIn(write, unmark, around)).isDone ? {} : null
  }
}

/** The case of the act that somebody is marked by as a spammer, where the bulk act is; null: they aren't. */
const markedBy = async (write: Write, { courseId }: Item, personId: number) =>
  (await spammerAct(write, { personId, courseId }))?.caseId ?? null
