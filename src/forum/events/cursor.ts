import { createCipheriv, createDecipheriv, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { InvalidParameter } from '../../web/json/endpoint.ts'

/** Which events there are: those numbered after `forgottenTo`, up to `numberedTo`. */
export interface EventLog {
  /** A key, another one in each forum, and after a restored backup. */
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

/** What an event is called: the same for every reader, and no hint of how many are between two. */
export const eventId = (log: EventLog, number: number) => sealedPlace(log, number, 0)

/** The place after an event. It is written in another way each time, and so doesn't tell that something happened which a reader may not know. */
export const eventCursor = (log: EventLog, number: number) => sealedPlace(log, number, randomInt(1, 2 ** 32))

// One block, which nobody can read, or make, without the key: 4 bytes of chance, 4 of zeros, and the number.
const CIPHER = 'aes-128-ecb'
const PATTERN = /^[\w-]{22}$/

function sealedPlace({ epoch }: EventLog, number: number, chance: number): string {
  const block = Buffer.alloc(16)
  block.writeUInt32BE(chance)
  block.writeBigUInt64BE(BigInt(number), 8)
  const cipher = createCipheriv(CIPHER, Buffer.from(epoch, 'hex'), null).setAutoPadding(false)
  return cipher.update(block).toString('base64url')
}

/** null: it is of another forum. */
function openedPlace({ epoch }: EventLog, text: string): number | null {
  const decipher = createDecipheriv(CIPHER, Buffer.from(epoch, 'hex'), null).setAutoPadding(false)
  const block = decipher.update(Buffer.from(text, 'base64url'))
  return block.readUInt32BE(4) === 0 ? Number(block.readBigUInt64BE(8)) : null
}

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
  if (!PATTERN.test(cursor)) throw new InvalidParameter(parameter)
  const number = openedPlace(log, cursor)
  // Numbers that aren't given yet are of a time that a database was put back before.
  if (number === null || number < log.forgottenTo || number > log.numberedTo)
    throw new CursorExpired(eventCursor(log, log.forgottenTo))
  return number
}
