import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { InvalidParameter } from '../../web/json/endpoint.ts'

/** Which events there are: those numbered after `forgottenTo`, up to `numberedTo`. */
export interface EventLog {
  /** Another one in each forum, and after a restored backup. */
  readonly epoch: string
  readonly numberedTo: number
  readonly forgottenTo: number
}

/** The first who asks begins it. */
export async function readEventLog(db: Database | Write): Promise<EventLog> {
  const log = db
    .selectFrom('event_log')
    .select(['epoch', 'numbered_to as numberedTo', 'forgotten_to as forgottenTo'])
  const known = await log.executeTakeFirst()
  if (known !== undefined) return known
  await sql`insert into event_log default values on conflict do nothing`.execute(db)
  return log.executeTakeFirstOrThrow()
}

/** What comes after a cursor isn't known any more: it is too old, or of another forum. */
export class CursorExpired extends Error {
  /** The cursor to begin anew with. */
  readonly oldest: string

  constructor(oldest: string) {
    super('the cursor of events has expired')
    this.oldest = oldest
  }
}

/** Names the forum and the last event that is known. */
export const eventCursor = ({ epoch }: EventLog, number: number) => `${epoch}.${number.toString(36)}`

const PATTERN = /^([0-9a-f]{12})\.([0-9a-z]{1,10})$/

/** In place of a cursor: what happens from now on. */
export const LATEST = 'latest'

/**
 * The number of the last event that somebody knows.
 * @param cursor empty: none
 * @throws InvalidParameter for what is no cursor of events, CursorExpired
 */
export function numberIn(cursor: string, log: EventLog, parameter: string): number {
  if (cursor === '') return log.forgottenTo
  if (cursor === LATEST) return log.numberedTo
  const [, epoch, written = ''] = PATTERN.exec(cursor) ?? []
  if (epoch === undefined) throw new InvalidParameter(parameter)
  const number = Number.parseInt(written, 36)
  // Numbers that aren't given yet are of a time that a database was put back before.
  if (epoch !== log.epoch || number < log.forgottenTo || number > log.numberedTo)
    throw new CursorExpired(eventCursor(log, log.forgottenTo))
  return number
}
