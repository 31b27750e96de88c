import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { valuesOf } from '../../testing/rows.ts'
import { BackupError } from './backup-error.ts'
import { checkBackup } from './check-backup.ts'
import type { Manifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { aBackup, aTemporaryFolder, handup, restoreInto, SILENT } from './testing.ts'

suite('what cannot be restored', () => {
  test('a byte changed anywhere is noticed', async (t) => {
    const { path, bytes } = await aFile(t)
    const places = [0, 5, 20, 34, ...everyNth(bytes.length, 60), bytes.length - 1]
    for (const place of places) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(place) ^ 0x10, place)
      await writeFile(path, damaged)
      await assert.rejects(
        checkBackup(path, SILENT),
        /forum\.backup (is damaged|is cut off or damaged|is no backup of Handup|was made by a newer)/,
        `byte ${place} of ${bytes.length}`,
      )
    }
  })

  test('a file cut off anywhere, or grown, is noticed', async (t) => {
    const { path, bytes } = await aFile(t)
    for (const length of [0, 1, 33, 40, ...everyNth(bytes.length, 20), bytes.length - 1]) {
      await writeFile(path, bytes.subarray(0, length))
      await assert.rejects(checkBackup(path, SILENT), /is cut off or damaged|is no backup/, String(length))
    }
    await writeFile(path, Buffer.concat([bytes, Buffer.from('more')]))
    await assert.rejects(checkBackup(path, SILENT), /is cut off or damaged/)
  })

  test('a damaged, strange or missing file leaves the database untouched, with one line', async (t) => {
    const { bytes } = await aFile(t)
    const { db, url } = await newDatabase(t)
    const dataDir = await aTemporaryFolder(t)
    const middle = Math.floor(bytes.length / 2)
    const damaged = Buffer.from(bytes)
    damaged.writeUInt8(damaged.readUInt8(middle) ^ 0x10, middle)
    const files: Record<string, Buffer> = {
      damaged,
      truncated: bytes.subarray(0, middle),
      text: Buffer.from('select 1;\n'.repeat(100)),
      archive: gzipSync(bytes),
      empty: Buffer.alloc(0),
      newer: Buffer.concat([Buffer.from(bytes.subarray(0, 40)).fill('9\n', 31, 33), bytes.subarray(40)]),
    }
    for (const [name, content] of Object.entries(files)) await writeFile(join(dataDir, name), content)
    const names = [...Object.keys(files), 'missing', '.']
    const ends = await Promise.all(
      names.map((name) => handup({ DATABASE_URL: url, DATA_DIR: dataDir }, 'restore', join(dataDir, name))),
    )
    for (const [index, { code, output }] of ends.entries()) {
      const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Checking'))
      assert.deepEqual([code, lines.length], [1, 1], `${names[index]}: ${output}`)
      assert.match(lines[0] ?? '', /^handup: /)
    }
    assert.equal(await tablesIn(db), 0)
  })

  test('a forum in use is not restored over', async (t) => {
    const { path } = await aFile(t)
    const { db, url } = await testDatabaseWithUrl(t)
    const person = await aPerson(db, { displayName: 'Here already' })
    const { code, output } = await handup({ DATABASE_URL: url }, 'restore', path)
    assert.equal(code, 1)
    assert.match(output, /in use \(accounts: 1, courses: 0\).* new folder, or DATABASE_URL to a new database/)
    const people = await db.selectFrom('people').select('id').execute()
    assert.deepEqual(valuesOf(people, 'id'), [person.id])
  })

  test('a database of something else is not restored into', async (t) => {
    const { path } = await aFile(t)
    const { db, url } = await newDatabase(t)
    await sql`create table invoices (id bigint primary key)`.execute(db)
    await assert.rejects(
      restoreInto({ url, dataDir: await aTemporaryFolder(t) }, path),
      /not Handup's \(invoices\)/,
    )
    assert.equal(await tablesIn(db), 1)
  })

  test('nor is one in which something else lives beside Handup: nothing of it is dropped', async (t) => {
    const { path } = await aFile(t)
    const dataDir = await aTemporaryFolder(t)
    const strangers = {
      invoices: sql`create table invoices (id bigint primary key)`,
      names: sql`create view names as select display_name from people`,
      answer: sql`create function answer() returns integer language sql return 42`,
      colour: sql`create type colour as enum ('red')`,
    }
    for (const [name, making] of Object.entries(strangers)) {
      const { db, url } = await testDatabaseWithUrl(t)
      const before = await tablesIn(db)
      await making.execute(db)
      await assert.rejects(restoreInto({ url, dataDir }, path), new RegExp(`not Handup's \\(${name}\\)`))
      assert.ok((await tablesIn(db)) >= before)
    }
  })

  test('Handup’s own tables, with nobody in them, are no hindrance', async (t) => {
    const { path } = await aFile(t)
    const { db, url } = await testDatabaseWithUrl(t)
    await restoreInto({ url, dataDir: await aTemporaryFolder(t) }, path)
    assert.equal((await db.selectFrom('questions').select('id').execute()).length, 1)
  })

  test('a manifest that names what the tables have not is told in one line', async (t) => {
    const { path } = await aFile(t)
    const { db, url } = await newDatabase(t)
    const checked = await checkBackup(path, SILENT)
    const dataDir = await aTemporaryFolder(t)
    const restored = (change: Partial<Manifest>) =>
      restoreBackup({ url, dataDir }, { ...checked, manifest: { ...checked.manifest, ...change } }, SILENT)
    const [table] = checked.manifest.tables.filter(({ name }) => name === 'questions')
    assert.ok(table)
    const columns = [
      { ...table, columns: ['no_such_column'] },
      { ...table, columns: table.columns.toReversed() },
    ]
    for (const wrong of columns) {
      const tables = checked.manifest.tables.map((one) => (one === table ? wrong : one))
      await assert.rejects(restored({ tables }), isOneLine)
    }
    await assert.rejects(
      restored({ identities: [{ table: 'people', column: 'nothing', last: 3 }] }),
      isOneLine,
    )
    assert.equal(await tablesIn(db), 0)
  })

  test('what fails halfway leaves the database as it was', async (t) => {
    const { path } = await aFile(t)
    const dataDir = await aTemporaryFolder(t)
    const { db, url } = await newDatabase(t)
    const checked = await checkBackup(path, SILENT)
    const changed = join(dataDir, 'changed-after-the-check')
    await copyFile(path, changed)
    const bytes = await readFile(changed)
    await writeFile(changed, bytes.fill(0, bytes.length - 400, bytes.length - 380))
    await assert.rejects(restoreBackup({ url, dataDir }, { ...checked, path: changed }, SILENT), /is damaged/)
    assert.equal(await tablesIn(db), 0)
  })
})

function isOneLine(error: unknown): boolean {
  return (
    error instanceof BackupError && /does not fit Handup's tables \(.*\): nothing of it/.test(error.message)
  )
}

async function aFile(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  await aQuestion(db, { answers: 2, tags: ['json'], votes: 1, body: 'text '.repeat(2000) })
  const dataDir = await aTemporaryFolder(t)
  const path = await aBackup({ db, url, dataDir }, join(dataDir, 'forum.backup'))
  return { path, bytes: await readFile(path) }
}

function everyNth(length: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * length) / count))
}

async function tablesIn(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_tables where schemaname = 'public'`.execute(db)
  return rows[0]?.count ?? -1
}
