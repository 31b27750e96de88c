import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isLockedOut } from '../failures.ts'
import type { Database, Write } from '../schema.ts'

/** Lock timeout of a statement: later queries queue behind its lock request, so pages wait as long. */
const LOCK_TIMEOUT = sql.lit('500ms')
/**
 * Lock timeout where no page or post waits for the lock; longer than deadlock_timeout (1 s), when PostgreSQL
 * ends an autovacuum in its way.
 */
const QUIET_LOCK_TIMEOUT = sql.lit('10s')

/** How long a statement is retried, and the delay between retries: a backup locks every table while it runs. */
const RETRY_TIMEOUT_MS = 2 * 60_000
const RETRY_DELAY_MS = 1000

/**
 * The rows that a step over a table changes at once, by their ids: people's writes wait for no more of them.
 */
const ROWS_PER_STEP = 1000

/**
 * Applies a migration's text while others use the tables.
 * @param done runs in the last transaction
 */
export async function applyBesideOthers(
  db: Database,
  text: string,
  done: (write: Write) => Promise<void>,
): Promise<void> {
  if (isInSteps(text)) {
    for (const step of stepsOf(text)) await applyStep(db, step)
    await db.transaction().execute(done)
  } else
    await inTries(db, text, async (write) => {
      await sql.raw(text).execute(write)
      await done(write)
    })
}

/** Applies a migration's text in a transaction whose tables nobody else uses. */
export async function applyAlone(write: Write, text: string): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(write)
  if (!isInSteps(text)) {
    await sql.raw(text).execute(write)
    return
  }
  for (const { statement, index, over } of stepsOf(text)) {
    if (index !== null) await sql.raw(statement.replace(/\bconcurrently\b/i, '')).execute(write)
    else if (over !== null) await applyToIds(write, statement, 0, await lastIdOf(write, over))
    else await sql.raw(statement).execute(write)
  }
}

/** Runs `work`, which executes `text`, in a transaction; a lock timeout or a deadlock is retried. */
async function inTries(db: Database, text: string, work: (write: Write) => Promise<void>): Promise<void> {
  const end = Date.now() + RETRY_TIMEOUT_MS
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await db.transaction().execute(async (write) => {
        await sql`set local statement_timeout = 0`.execute(write)
        if (!isFirst) await endAutovacuums(write, text)
        await sql`set local lock_timeout = ${LOCK_TIMEOUT}`.execute(write)
        await work(write)
      })
    } catch (error) {
      if (!isLockedOut(error) || Date.now() >= end) throw error
      await sleep(RETRY_DELAY_MS)
    }
  }
}

/**
 * Locks the tables that a text alters against autovacuum alone: one begins when a large table was filled,
 * runs for minutes, and ends only for who waits longer than LOCK_TIMEOUT.
 */
async function endAutovacuums(write: Write, text: string): Promise<void> {
  await sql`set local lock_timeout = ${QUIET_LOCK_TIMEOUT}`.execute(write)
  const tables = new Set(Array.from(text.matchAll(/\balter table (\w+)/gi), ([, table = '']) => table))
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...tables]}::text[]) as name where to_regclass(name) is not null`.execute(
    write,
  )
  for (const { name } of rows)
    await sql`lock table ${sql.table(name)} in share update exclusive mode`.execute(write)
}

async function applyStep(db: Database, { statement, index, over }: Step): Promise<void> {
  if (index !== null) return buildBesideOthers(db, statement, index)
  if (over === null)
    return inTries(db, statement, async (write) => {
      await sql.raw(statement).execute(write)
    })
  const last = await lastIdOf(db, over)
  for (let after = 0; after < last; after += ROWS_PER_STEP)
    await inTries(db, statement, (write) => applyToIds(write, statement, after, after + ROWS_PER_STEP))
}

/**
 * Builds or drops an index concurrently. An index of this name that is not valid was left by a build that
 * broke off. Transactions that are open meanwhile are waited for; nobody waits for that.
 */
async function buildBesideOthers(db: Database, statement: string, index: string): Promise<void> {
  await sql`set lock_timeout = ${sql.lit(RETRY_TIMEOUT_MS)}`.execute(db)
  try {
    const { rows } = await sql`
      select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`.execute(db)
    if (rows.length > 0) await sql`drop index concurrently ${sql.table(index)}`.execute(db)
    await sql.raw(statement).execute(db)
  } finally {
    await sql`reset lock_timeout`.execute(db)
  }
}

/**
 * The statement's $1 and $2 are literals here, as a plan for any range could be one that reads the whole
 * table.
 */
async function applyToIds(write: Write, statement: string, after: number, last: number): Promise<void> {
  await sql.raw(statement.replaceAll('$1', `${after}`).replaceAll('$2', `${last}`)).execute(write)
}

async function lastIdOf(db: Database | Write, table: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(id), 0) as last from ${sql.table(table)}`.execute(db)
  return rows[0]?.last ?? 0
}

type Step = ReturnType<typeof stepOf>

/** Whether a migration's first line says that each of its statements is committed by itself. */
function isInSteps(text: string): boolean {
  return /^-- In steps\b/.test(text)
}

/** @throws Error when a statement could not be repeated after it was broken off, or lacks what it needs */
export function stepsOf(text: string): Step[] {
  return partsOf(text).map(stepOf)
}

/** The functions and views of a file of db/schema, and those of its triggers that a database doesn't have. */
export function replaceableOf(text: string, triggers: ReadonlySet<string>): string {
  return statementsOf(text)
    .filter((statement) => {
      const name = TRIGGER.exec(statement)?.[1]
      return name !== undefined
        ? !triggers.has(name)
        : /^(?:create or replace (?:function|view)|comment on) /.test(statement)
    })
    .map((statement) => `${statement};\n`)
    .join('\n')
}

/** The statements of a file of db/schema, without comments before them. */
export function statementsOf(text: string): string[] {
  return partsOf(text).map(withoutComments)
}

const TRIGGER = /^create (?:constraint )?trigger (\w+) /

/** The same text, before each trigger of which one of its name is dropped: a constraint trigger can't be replaced. */
export function replacing(text: string): string {
  return text.replace(
    /^create (?:constraint )?trigger (\w+) [^;]*? on (\w+)/gm,
    (created, name: string, table: string) => `drop trigger if exists ${name} on ${table};\n${created}`,
  )
}

/** Statements, each of which ends with a semicolon at the end of a line, with the comments before them. */
function partsOf(text: string): string[] {
  return (text.match(STATEMENT) ?? []).filter((part) => part.replace(/^\s*--.*$/gm, '').trim() !== '')
}

/** Comments in the body of a function are part of it. */
function withoutComments(part: string): string {
  return part.replace(/^(?:\s*--.*\n)+/, '').trim()
}

/**
 * A statement of a migration in steps.
 * @returns `index`: that it builds or drops concurrently, outside of a transaction; `over`: the table whose
 * ids its $1 (exclusive)
 *   and $2 (inclusive) are: it is executed for one range of them after the other
 */
function stepOf(part: string) {
  const statement = withoutComments(part)
  const index = CONCURRENT_INDEX.exec(statement)?.[1] ?? null
  const over = /^-- over (\w+)$/m.exec(part)?.[1] ?? null
  if (/\bconcurrently\b/i.test(statement) && index === null)
    throw new Error(
      `write "create index concurrently if not exists NAME" or "drop index concurrently if exists NAME": ${statement}`,
    )
  if ((over !== null) !== /\$[12]/.test(statement))
    throw new Error(
      `a statement with $1 and $2 needs a line "-- over TABLE" before it, and no other does: ${statement}`,
    )
  return { statement, index, over }
}

/** Up to a semicolon at the end of a line that is not in the body of a function. */
const STATEMENT = /(?:\$\$.*?\$\$|;(?![ \t]*$)|[^;])+/gms

const CONCURRENT_INDEX =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) (\w+)/i
