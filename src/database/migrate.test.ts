import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newDatabase } from '../testing/database.ts'
import { connect } from './connection.ts'
import { migrate } from './migrate.ts'
import { appliedMigrations } from './migrations/applied.ts'
import { MigrationError } from './migrations/refuse.ts'
import { migrationsOf, writeMigrations } from './migrations/testing.ts'

const ONE = 'create table ones (id bigint primary key)'
const TWO = 'create table twos (id bigint primary key)'

test('each pending migration is a transaction of its own: those before a failure stay', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_one': ONE, '302_two': `${TWO}; select 1 / 0` })
  await assert.rejects(migrate(db, { folder }), /^Error: Migration 302_two failed: division by zero$/)
  assert.deepEqual(await appliedMigrations(db), ['301_one'])
  await writeMigrations(folder, { '302_two': TWO })
  assert.deepEqual(await migrate(db, { folder }), ['302_two'])
  assert.deepEqual(await migrate(db, { folder }), [])
})

test('a migration that comes later with a lower number is applied, and only those asked for', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, { '302_two': TWO, '303_three': 'create table threes ()' })
  assert.deepEqual(await migrate(db, { folder, only: ['302_two'] }), ['302_two'])
  await writeMigrations(folder, { '301_one': ONE })
  assert.deepEqual(await migrate(db, { folder }), ['301_one', '303_three'])
})

test('a migration that was changed after it was applied is refused in one line that says what to do', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_one': ONE })
  await migrate(db, { folder })
  await writeMigrations(folder, { '301_one': `${ONE}; ${TWO}` })
  await assert.rejects(migrate(db, { folder }), (error) => {
    assert.ok(error instanceof MigrationError)
    assert.match(
      error.message,
      /^.* another text of 301_one, .*: take a backup, and restore it into an empty database$/,
    )
    return true
  })
})

test('the records of 0.2.0, which have no hashes, are kept and taken as they are', async (t) => {
  const { db } = await newDatabase(t)
  await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    db,
  )
  await sql`insert into kysely_migration values ('301_one', '2026-01-01')`.execute(db)
  const folder = await migrationsOf(t, { '301_one': ONE, '302_two': TWO })
  assert.deepEqual(await migrate(db, { folder }), ['302_two'])
  const { rows } = await sql<{ length: number | null }>`
    select length(hash) as length from kysely_migration order by name`.execute(db)
  assert.deepEqual(rows, [{ length: null }, { length: 64 }])
})

test('a second try keeps autovacuum from the tables that it alters, which people go on using', async (t) => {
  const { db } = await newDatabase(t)
  await sql`create table twos (id bigint primary key)`.execute(db)
  await sql`create sequence tries`.execute(db)
  const folder = await migrationsOf(t, {
    '301_one': `
      create table locks as select mode from pg_locks where relation = 'twos'::regclass and pid = pg_backend_pid();
      alter table twos add column one bigint;
      do $$ begin
        if nextval('tries') < 2 then raise exception 'in use' using errcode = 'lock_not_available'; end if;
      end $$`,
  })
  await migrate(db, { folder })
  assert.deepEqual((await sql`select mode from locks`.execute(db)).rows, [
    { mode: 'ShareUpdateExclusiveLock' },
  ])
})

test('processes that start at once migrate once', async (t) => {
  const { db, url } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_one': `select pg_sleep(0.2); ${ONE}`, '302_two': TWO })
  const outcomes = await Promise.all([
    migrate(db, { folder }),
    migrate(db, { folder }),
    migrateFrom(url, folder),
  ])
  assert.deepEqual(outcomes.flat(), ['301_one', '302_two'])
})

test('a table in use is waited for in tries', async (t) => {
  const { db, url } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_one': ONE })
  await migrate(db, { folder })
  await writeMigrations(folder, { '302_column': 'alter table ones add column name text' })
  let isReading = false
  const migrating = await db.transaction().execute(async (read) => {
    await sql`select from ones`.execute(read)
    isReading = true
    const applied = migrateFrom(url, folder).then((names) => ({ names, isReading }))
    await untilRefused(db)
    isReading = false
    return { applied }
  })
  assert.deepEqual(await migrating.applied, { names: ['302_column'], isReading: false })
})

/** Until a try has ended with a lock timeout: nobody waits for the table's lock after somebody did. */
async function untilRefused(db: Parameters<typeof migrate>[0]): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_locks where relation = 'ones'::regclass and not granted`.execute(db)
    return rows.length > 0
  }
  while (!(await waiting()));
  while (await waiting());
}

async function migrateFrom(url: string, folder: string): Promise<string[]> {
  const other = connect(url, { statementTimeout: 0 })
  return migrate(other, { folder }).finally(() => other.destroy())
}
