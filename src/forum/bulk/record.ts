import { sql } from 'kysely'
import { z } from 'zod'
import type { Database, Write } from '../../database/schema.ts'
import { actor, table, unmissed } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import type { Named } from '../../kernel/actor.ts'
import { inTransaction, type Surroundings } from '../../kernel/perform.ts'
import { EditedMeanwhile, notFound, Problem, Refused } from '../../kernel/problem.ts'
import { placeOf } from '../../kernel/rights/rights.ts'
import type { Message } from '../../messages/catalogue.ts'
import { sentFields } from '../../web/form.ts'
import { CaseChanged } from '../cases/decision.ts'
import { NO_COURSE } from '../cases/find.ts'

/** Posts or cases that one act takes. */
export const MOST_AT_ONCE = 100

export const bulkTables = [
  table('bulk_acts', { made_by: unmissed(actor) }, { expired: sql`made_at < now() - ${term('bulkActs')}` }),
]

/** JSON of our own making. */
export type Kept = Readonly<Record<string, string | number | null | readonly string[]>>

export interface Subject {
  readonly kind: 'question' | 'answer' | 'reply' | 'case'
  readonly id: number
}

/** One of the subjects of an act, and who does it there. */
export interface Item extends Subject {
  readonly db: Database
  readonly actor: Named
  /** null: an act of the forum. */
  readonly courseId: number | null
}

/** Who does it; the audit log has one entry for all. */
export const part = ({ actor }: Item) => ({ actor, isPart: true })

/** What becomes of one subject in a transaction of its own. @returns what its undo needs; null: it was so already */
export type Step = (write: Write, around: Surroundings) => Promise<Kept | null>

/** How an act is done to one subject, and taken back: prepared first, as no transaction waits for that. What it throws is its refusal. */
export interface BulkAct {
  prepare(item: Item, input: Kept): Promise<Step>
  /** null: it can't be taken back. */
  readonly prepareUndo: ((item: Item, kept: Kept) => Promise<Step>) | null
}

/** What several boxes of a form name: one, several, or text with spaces between; each once, MOST_AT_ONCE at most. */
export const several = (name: RegExp) =>
  z
    .union([
      z.string(),
      z.number().transform(String),
      z.array(z.union([z.string(), z.number().transform(String)])),
    ])
    .transform((sent, context): readonly string[] => {
      const all = [
        ...new Set((typeof sent === 'string' ? sent.split(' ') : sent).filter((one) => one !== '')),
      ]
      const isKnown = all.every((one) => name.test(one))
      const message = !isKnown ? 'forms.choice' : all.length > MOST_AT_ONCE ? 'bulk.many' : null
      if (message !== null) context.addIssue({ code: 'custom', message, params: { max: MOST_AT_ONCE } })
      return all
    })
export const ID = /^[1-9]\d{0,14}$/

/** What a query or a form chose, as far as it is right. */
export function chosenIn(sent: unknown, field: string, name: RegExp): readonly string[] {
  const chosen = [sentFields(sent)[field]]
    .flat()
    .flatMap((some) => (typeof some === 'string' ? some.split(' ') : []))
  return [...new Set(chosen.filter((one) => name.test(one)))].slice(0, MOST_AT_ONCE)
}

/** Records an act before it is done. @param subjects each once, MOST_AT_ONCE at most @returns its id */
export async function recordAct(
  write: Write,
  act: {
    readonly name: string
    readonly courseId: number | null
    readonly madeBy: number
    readonly input: Kept
    readonly subjects: readonly Subject[]
  },
): Promise<number> {
  const { id } = await write
    .insertInto('bulk_acts')
    .values({
      ...{ act: act.name, course_id: act.courseId, made_by: act.madeBy },
      input: JSON.stringify(act.input),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = act.subjects.map(({ kind, id: subject_id }, index) => ({
    ...{ bulk_id: id, position: index + 1, kind, subject_id },
  }))
  await write.insertInto('bulk_items').values(rows).execute()
  return id
}

/**
 * Does a recorded act to each of its subjects, or takes it back where it was done, one after the other and each in a transaction of its
 * own: nobody waits for more than one, and what is refused of one is none of the others'. What was done before is left out.
 */
export async function carryOut(
  db: Database,
  bulkId: number,
  { prepare, prepareUndo }: BulkAct,
  named: Named,
  around: Surroundings,
): Promise<void> {
  const { course_id: courseId, input, undone_at } = await findAct(db, bulkId)
  const isUndo = undone_at !== null
  if (isUndo && prepareUndo === null) return
  const [outcome, why] = isUndo ? (['undo_outcome', 'undo_why'] as const) : (['outcome', 'why'] as const)
  const items = await db
    .selectFrom('bulk_items')
    .select(['position', 'kind', 'subject_id', 'undo'])
    .where('bulk_id', '=', bulkId)
    .where(outcome, 'is', null)
    .$if(isUndo, (query) => query.where('outcome', '=', 'done'))
    .orderBy('position')
    .execute()
  const record = (write: Database | Write, position: number, values: Readonly<Record<string, unknown>>) =>
    write
      .updateTable('bulk_items')
      .set(values)
      .where('bulk_id', '=', bulkId)
      .where('position', '=', position)
      .where(outcome, 'is', null)
      .execute()
  // The same form sent twice does nothing twice, and nothing more is done of what is taken back: that waits for one at most.
  const isLeft = async (write: Write, position: number) =>
    (await write
      .selectFrom('bulk_items as item')
      .innerJoin('bulk_acts as bulk', 'bulk.id', 'item.bulk_id')
      .select('item.position')
      .where('item.bulk_id', '=', bulkId)
      .where('item.position', '=', position)
      .where(`item.${outcome}`, 'is', null)
      .where('bulk.undone_at', isUndo ? 'is not' : 'is', null)
      .forNoKeyUpdate('item')
      .forShare('bulk')
      .executeTakeFirst()) !== undefined
  for (const { position, kind, subject_id: id, undo } of items) {
    const item = { db, actor: named, courseId, kind, id }
    try {
      const step = await (isUndo && prepareUndo !== null
        ? prepareUndo(item, undo as Kept)
        : prepare(item, input as Kept))
      await inTransaction(db, around, async (write, within) => {
        if (!(await isLeft(write, position))) return
        const kept = await step(write, within)
        const done = kept === null ? 'unchanged' : 'done'
        await record(write, position, {
          [outcome]: done,
          ...(!isUndo && { undo: kept && JSON.stringify(kept) }),
        })
      })
    } catch (error) {
      await record(db, position, { [outcome]: 'refused', [why]: JSON.stringify(refusalsIn(error)) })
    }
  }
}

/** Why one was refused. @throws what is no refusal: the rest wasn't done then, which the report says */
function refusalsIn(error: unknown): readonly Message[] {
  if (error instanceof Refused) return error.errors.map(({ message }) => message)
  if (error instanceof EditedMeanwhile || error instanceof CaseChanged) return [{ key: 'bulk.why.edited' }]
  if (!(error instanceof Problem)) throw error
  return [
    error.key === 'notFound' || error.key === 'forbidden' ? { key: `bulk.why.${error.key}` } : error.title,
  ]
}

async function findAct(db: Database | Write, id: number) {
  return db
    .selectFrom('bulk_acts')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}

/** An act as a place of its course; locked where it changes. @throws Problem 'notFound' */
export async function bulkAct(db: Database | Write, id: number) {
  const row = await db
    .selectFrom('bulk_acts as bulk')
    .leftJoin('courses as course', 'course.id', 'bulk.course_id')
    .select(['bulk.id', 'bulk.act', 'bulk.undone_at', 'bulk.course_id', 'course.slug'])
    .select(['course.is_public', 'course.asking', 'course.archived_at'])
    .where('bulk.id', '=', id)
    .$if(db.isTransaction, (query) => query.forNoKeyUpdate('bulk'))
    .executeTakeFirstOrThrow(() => notFound())
  const { id: bulkId, act, undone_at, slug } = row
  const place = placeOf({
    ...{ id: row.course_id ?? NO_COURSE, isPublic: row.is_public ?? false },
    ...{ asking: row.asking ?? 'members', isArchived: row.archived_at !== null },
  })
  return { ...place, bulkId, act, slug, isUndone: undone_at !== null }
}

/**
 * What became of each, in the order of the form. `title`: of a question that is still in the course of the act, as its staff may name
 * any other; null: of anything else
 */
export function itemsOf(db: Database, bulkId: number) {
  return db
    .selectFrom('bulk_items as item')
    .innerJoin('bulk_acts as bulk', 'bulk.id', 'item.bulk_id')
    .leftJoin('questions as q', (join) =>
      join
        .onRef('q.id', '=', 'item.subject_id')
        .onRef('q.course_id', '=', sql`coalesce(bulk.course_id, q.course_id)`)
        .on('item.kind', '=', 'question')
        .on('q.deleted_at', 'is', null),
    )
    .select(['item.position', 'item.kind', 'item.subject_id', 'item.outcome', 'item.why'])
    .select(['item.undo_outcome', 'item.undo_why', 'q.title', 'q.audience'])
    .where('item.bulk_id', '=', bulkId)
    .orderBy('item.position')
    .execute()
}
