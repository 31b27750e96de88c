import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { personColumns } from '../../database/table.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { sweepUnconfirmed } from './unconfirmed.ts'

const unconfirmed = (db: Database) => aPerson(db, { isConfirmed: false })

const inTwoYears = (db: Database) => sql`update people set joined_at = now() - interval '2 years'`.execute(db)

async function leftOf(db: Database): Promise<ReadonlySet<number>> {
  const left = await db.selectFrom('people').select('id').where('email_confirmed_at', 'is', null).execute()
  return new Set(left.map(({ id }) => id))
}

test('an account that anything names stays, and keeps no other from being deleted', async (t) => {
  const db = await testDatabase(t)
  const columns = personColumns()
  assert.ok(columns.length > 60)
  const named = new Map<number, (typeof columns)[number]>()
  for (const column of columns) named.set((await unconfirmed(db)).id, column)
  const everywhere = await unconfirmed(db)
  for (let number = 0; number < 100; number += 1) await unconfirmed(db)
  await inTwoYears(db)
  await takeAnything(db)
  for (const [id, column] of named)
    for (const person of [id, everywhere.id]) await name(db, column.table, column.column, person)

  const missed = [...named].filter(([, { isMissed }]) => isMissed)
  assert.ok(missed.length > 30)
  assert.equal(await sweepUnconfirmed(db), 100 + named.size - missed.length)
  assert.deepEqual(await leftOf(db), new Set([...missed.map(([id]) => id), everywhere.id]))
})

test('an account that can’t be deleted is logged with what refers to it, and keeps no other', async (t) => {
  const db = await testDatabase(t)
  const referred = await unconfirmed(db)
  for (let number = 0; number < 100; number += 1) await unconfirmed(db)
  await inTwoYears(db)
  await sql
    .raw(`
    create table unknown_table (found_by bigint not null references people on delete restrict);
    insert into unknown_table values (${referred.id})`)
    .execute(db)
  const lines: string[] = []
  const { log } = fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
  assert.equal(await sweepUnconfirmed(db, log), 100)
  assert.deepEqual(await leftOf(db), new Set([referred.id]))
  assert.equal(lines.length, 1)
  assert.ok(lines[0]?.includes(`"personId":${referred.id},"constraint":"unknown_table_found_by_fkey"`))
})

test('what somebody may have begun is looked for where the facts say', async (t) => {
  const db = await testDatabase(t)
  const drafter = await unconfirmed(db)
  const draft = { person_id: drafter.id, place: '/ask', fields: '{}', saved_at: new Date() }
  await db.insertInto('drafts').values(draft).execute()
  await inTwoYears(db)
  assert.equal(await sweepUnconfirmed(db), 0)
})

/** Has tables take rows that nobody could write. */
async function takeAnything(db: Database): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement from pg_constraint
    where connamespace = current_schema()::regnamespace and contype = 'c' and conrelid <> 0`.execute(db)
  for (const { statement } of rows) await sql.raw(statement).execute(db)
}

/** A row of a table that names the person in this column, and anything in the others that it needs. */
async function name(db: Database, table: string, column: string, personId: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    // Neither triggers nor foreign keys.
    await sql`set local session_replication_role = replica`.execute(write)
    const { rows } = await sql<{ name: string; type: string }>`
      select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef
        and attidentity = '' and attname <> ${column}`.execute(write)
    const names = [column, ...rows.map((row) => row.name)].map((one) => sql.ref(one))
    const values = [
      sql`${personId}::bigint`,
      ...rows.map(({ type }) => sql`${anything(type)}::${sql.raw(type)}`),
    ]
    const row = sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`
    await row.execute(write)
  })
}

let made = 1_000_000
/** Text of a value of this type, another one each time where there are many. */
function anything(type: string): string {
  made += 1
  if (/^(?:json|jsonb)$/.test(type) || type.endsWith('[]')) return '{}'
  if (/^(?:timestamp|date)/.test(type)) return '2020-01-01'
  return type === 'boolean' ? 'false' : String(made)
}
