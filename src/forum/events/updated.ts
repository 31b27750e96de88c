import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { couldReadAs } from '../../kernel/rights/visibility.ts'
import { InvalidParameter } from '../../web/json/endpoint.ts'
import { textsOfPost, withinBytes } from '../../web/json/paging.ts'
import { id } from '../../web/json/resource.ts'
import { CursorExpired, type EventLog, eventCursor, numberIn, readEventLog } from './cursor.ts'
import { endOfScan } from './event.ts'

/** Which list: the questions of a course, the answers of a question, the replies directly under a question or under an answer. */
export type ListOfPosts =
  | { readonly questionsOf: number }
  | { readonly answersOf: number }
  | { readonly repliesTo: number; readonly answer: number | null }

/** The parameter of lists of posts. */
export const updatedAfter = { updated_after: z.string().max(30).optional() }
/** What such a list has beside its items. */
export const besideUpdated = z.object({ removed: z.array(id).optional(), cursor: z.string().optional() })

/** The cursor says which posts and in which order: nothing else does beside it. @throws InvalidParameter */
export function requireAlone(
  { limit: _, updated_after: __, sort, ...others }: Readonly<Record<string, unknown>>,
  usualSort: string,
): void {
  const [other] = Object.keys(others).filter((name) => others[name] !== undefined)
  if (other !== undefined) throw new InvalidParameter(other)
  if (sort !== usualSort) throw new InvalidParameter('sort')
}

interface Texts {
  readonly id: number
  readonly body: string
  readonly body_html: string
}

/**
 * The posts of a list that changed after a cursor of events, in the order of what happened to them last, and those that are gone from
 * it. One that changes meanwhile is on a later page, or comes again.
 * @param read those with these ids that are in the list
 * @throws InvalidParameter, CursorExpired also where all of the list may have changed: it is read again, and goes on from now
 */
export async function updatedPosts<Row extends Texts>(
  { server: { db }, person }: Pick<FastifyRequest, 'server' | 'person'>,
  list: ListOfPosts,
  { updated_after: cursor, limit }: { readonly updated_after: string; readonly limit: number },
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
) {
  const log = await readEventLog(db)
  const after = numberIn(cursor, log, 'updated_after')
  if (await cameBack(db, list, after)) throw new CursorExpired(eventCursor(log, log.numberedTo))
  const { changed, end } = await changedIn(db, person, list, log, after)
  const few = changed.slice(0, limit)
  const found = new Map((await read(few.map((one) => one.id))).map((row) => [row.id, row]))
  const rows = few.flatMap((one) => found.get(one.id) ?? [])
  const shown = withinBytes(rows, textsOfPost)
  const cutAt = few.findIndex((one) => one.id === rows[shown.length]?.id)
  const kept = cutAt === -1 ? few : few.slice(0, cutAt)
  const through = kept.length < changed.length ? (kept.at(-1)?.number ?? end) : end
  const removed = kept.filter((one) => one.isRemoved && !found.has(one.id)).map((one) => one.id)
  const now = eventCursor(log, through)
  return {
    rows: shown,
    next: through < log.numberedTo ? now : null,
    nextIn: 'updated_after' as const,
    beside: { removed, cursor: now },
  }
}

/** Whether the post that a list is below of came back since: no event says what became of the list meanwhile. Index: events_question. */
async function cameBack(db: Database, list: ListOfPosts, after: number): Promise<boolean> {
  if ('questionsOf' in list) return false
  const [question, answer] = 'answersOf' in list ? [list.answersOf, null] : [list.repliesTo, list.answer]
  const { rows } = await sql`
    select from events where question_id = ${question} and number > ${after}
      and (type = 'question.restored' or type = 'answer.restored' and answer_id = ${answer}::bigint)
    limit 1`.execute(db)
  return rows.length > 0
}

/** @returns `end`: the number up to which was looked */
async function changedIn(
  db: Database,
  viewer: Actor | null,
  list: ListOfPosts,
  log: EventLog,
  after: number,
) {
  const { column, place, isAbout } = eventsOf(list)
  // Private ones are in no list of a course.
  const isKnown =
    'questionsOf' in list
      ? sql`event.audience = 'course'`
      : sql`exists (select from questions as q join courses as course on course.id = event.course_id
          where q.id = event.question_id and ${couldReadAs(viewer, sql`event.audience`)})`
  const end = await endOfScan(db, log, after, place)
  const { rows } = await sql<{ id: number; number: number; isRemoved: boolean }>`
    select ${column} as id, max(event.number) as number,
      bool_or(event.type = any(array['question.removed', 'answer.removed', 'reply.removed']) and ${isAbout.itself}) as "isRemoved"
    from events as event
    where ${place} and event.number > ${after} and event.number <= ${end}
      and (${isAbout.itself} or ${isAbout.others}) and ${isKnown}
    group by ${column} order by number`.execute(db)
  return { changed: rows, end }
}

interface Events {
  readonly column: RawBuilder<unknown>
  readonly place: RawBuilder<unknown>
  /** `others`: events of what is below a post that change what the list says of it. */
  readonly isAbout: { readonly itself: RawBuilder<unknown>; readonly others: RawBuilder<unknown> }
}

function eventsOf(list: ListOfPosts): Events {
  if ('questionsOf' in list)
    return {
      column: sql`event.question_id`,
      place: sql`event.course_id = ${list.questionsOf} and event.question_id is not null`,
      isAbout: {
        itself: sql`event.answer_id is null and event.reply_id is null`,
        others: sql`event.reply_id is null and event.type <> all(array['answer.edited', 'answer.endorsed'])`,
      },
    }
  if ('answersOf' in list)
    return {
      column: sql`event.answer_id`,
      place: sql`event.question_id = ${list.answersOf} and event.answer_id is not null`,
      isAbout: { itself: sql`event.reply_id is null`, others: sql`event.type <> 'reply.edited'` },
    }
  const { repliesTo, answer } = list
  return {
    column: sql`event.reply_id`,
    place: sql`event.question_id = ${repliesTo} and event.reply_id is not null and event.answer_id is not distinct from ${answer}::bigint`,
    isAbout: { itself: sql`true`, others: sql`false` },
  }
}
