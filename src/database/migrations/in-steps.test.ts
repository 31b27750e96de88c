import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { loadSample } from '../../operating/sample/sample.ts'
import { atEnd } from '../../testing/at-end.ts'
import { newDatabase } from '../../testing/database.ts'
import { migrate } from '../migrate.ts'
import type { Database } from '../schema.ts'
import { applied } from './applied.ts'
import { IN_STEPS, knownMigrations, MIGRATIONS, migrationFiles } from './files.ts'
import { migrationsOf } from './testing.ts'

test('while others use a database, the same in steps is applied; in a transaction the file itself', async (t) => {
  const folder = await migrationsOf(t, {
    '301_ones': 'create table ones (id bigint);\n-- Two.\ninsert into ones values (2);',
  })
  await mkdir(folder + IN_STEPS)
  atEnd(t, () => rm(folder + IN_STEPS, { recursive: true }))
  await writeFile(
    join(folder + IN_STEPS, '301_ones.sql'),
    '-- In steps.\ncreate table ones (id bigint);\ninsert into ones values (1);\n-- as there: insert into\n',
  )
  const [beside, alone] = [(await newDatabase(t)).db, (await newDatabase(t)).db]
  await migrate(beside, { folder })
  await alone.transaction().execute((write) => migrate(write, { folder }))
  const { rows } = await sql<{ count: string }>`select count(distinct xmin::text) as count from ones`.execute(
    beside,
  )
  assert.deepEqual(rows, [{ count: 2 }])
  assert.equal((await sql`select from ones`.execute(alone)).rows.length, 1)
  assert.deepEqual(await applied(beside), await applied(alone))
})

test('each file in steps leads to the same rows as the one that landed', async (t) => {
  const names = (await readdir(MIGRATIONS + IN_STEPS)).map((file) => file.replace(/\.sql$/, ''))
  const known = await knownMigrations()
  const { db: sample } = await newDatabase(t)
  await migrate(sample)
  await loadSample(sample)
  for (const name of names) {
    assert.ok(known.includes(name), name)
    const only = known.filter((other) => other < name)
    const [beside, alone] = await Promise.all(
      [1, 2].map(async () => {
        const { db } = await newDatabase(t)
        await migrate(db, { only })
        await copyRows(sample, db)
        return db
      }),
    )
    assert.ok(beside && alone)
    await migrate(beside, { only: [...only, name] })
    await alone.transaction().execute((write) => migrate(write, { only: [...only, name] }))
    assert.deepEqual(await rowsOf(beside), await rowsOf(alone), name)
  }
})

test('each file in steps is in steps', async () => {
  for (const { inSteps, name } of await migrationFiles())
    if (inSteps !== null) assert.match(inSteps, /^-- In steps\b/, name)
})

/** Copies what an earlier schema has room for, as it is: nothing is counted or announced again. */
async function copyRows(from: Database, to: Database): Promise<void> {
  const { rows: columns } = await sql<{ table: string; names: string[] }>`
    select c.table_name as table, array_agg(c.column_name::text) as names
    from information_schema.columns as c join information_schema.tables as t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and c.table_name not like 'kysely%'
    group by c.table_name`.execute(to)
  await to.transaction().execute(async (write) => {
    await sql`set local session_replication_role = replica`.execute(write)
    for (const { table, names } of columns) {
      const found = await sql<{ known: boolean }>`select to_regclass(${table}) is not null as known`.execute(
        from,
      )
      if (found.rows[0]?.known !== true) continue
      const { rows } = await sql<{
        row: unknown
      }>`select to_jsonb(t) as row from ${sql.table(table)} as t`.execute(from)
      const list = sql.join(names.map((name) => sql.ref(name)))
      await sql`delete from ${sql.table(table)}`.execute(write)
      await sql`
        insert into ${sql.table(table)} (${list}) overriding system value
        select ${list} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows.map(({ row }) => row))}::jsonb)`.execute(
        write,
      )
    }
  })
}

/** Of the tables that such a file fills; times only by whether they are there, as both forums were made at another time. */
async function rowsOf(db: Database) {
  const rows: Record<string, unknown[]> = {}
  for (const table of ['questions', 'question_desk']) {
    const found = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(table)} as t order by 1`.execute(db)
    rows[table] = found.rows.map(({ row }) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          /_(at|since)$/.test(name) ? value !== null : value,
        ]),
      ),
    )
  }
  return rows
}
