import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../config.ts'
import { noteOwner } from '../../database/embedded/owners.ts'
import { aMailServer } from '../../mail/testing.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { handupHere } from '../../tools/cli/testing.ts'
import { aTemporaryFolder, digestsOf } from '../backup/testing.ts'
import { checkClusters, roomFinding } from './disk.ts'
import { checkAddress, checkNode, checkSecret } from './settings.ts'

suite('the doctor', () => {
  test('finds nothing to do where all is well, and changes nothing', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    await aQuestion(db, { answers: 1, votes: 2 })
    await aPerson(db, { isAdmin: true })
    const server = await aMailServer(t)
    const before = await digestsOf(db)
    const { code, output } = await doctor(t, { DATABASE_URL: url, SMTP_URL: server.url })
    // The server of the tests may lose everything, and says so.
    const problems = output.split('\n').filter((line) => line.startsWith('problem '))
    assert.ok(
      problems.every((line) => /^problem +tuning +(fsync|autovacuum) is off/.test(line)),
      output,
    )
    assert.equal(code, problems.length === 0 ? 0 : 1, output)
    assert.match(output, /^ok +database +PostgreSQL \d+/m)
    assert.match(output, /^ok +mail +\S+ accepts email, from/m)
    assert.match(output, new RegExp(`^ok: 17, warnings: \\d+, problems: ${problems.length}$`, 'm'))
    assert.deepEqual(await digestsOf(db), before)
  })

  test('names what is wrong in the data, and the command that mends it', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    const question = await aQuestion(db)
    await db.updateTable('questions').set({ answers_count: 7, active_at: new Date() }).execute()
    await db.deleteFrom('search_documents').where('question_id', '=', question.id).execute()
    const { code, output } = await doctor(t, { DATABASE_URL: url })
    assert.equal(code, 1)
    assert.match(output, /^problem +counters +wrong: \d+\n +→ npm run handup -- recount --fix$/m)
    assert.match(output, /^warning +search +questions missing or outdated: 1\n +→ npm run handup -- reindex/m)
    assert.match(output, /^warning +admins +none\n +→ npm run handup -- user create --admin/m)
  })

  test('names what is wrong around it: mail, disk, database, variables', async (t) => {
    const { url } = await newDatabase(t)
    const away = await doctor(t, { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/none' })
    assert.match(away.output, /^problem +database +DATABASE_URL does not answer: .*ECONNREFUSED/m)
    const unreached = await doctor(t, { DATABASE_URL: url, SMTP_URL: 'smtp://127.0.0.1:1' })
    assert.match(unreached.output, /^problem +mail +127\.0\.0\.1:1 doesn’t accept email: .*ECONNREFUSED/m)
    assert.match(unreached.output, /^problem +migrations +none applied/m)
    const bad = await doctor(t, { PORT: 'x' })
    assert.match(bad.output, /^problem +settings +PORT must be a number/m)
    const nothing = await doctor(t, {})
    assert.match(nothing.output, /^problem +database +\S+ holds none yet\n +→ npm start creates one/m)
    const inFile = await doctor(t, { DATA_DIR: join(import.meta.filename, 'data') })
    assert.match(
      inFile.output,
      /^problem +disk +\S+doctor\.test\.ts is a file where DATA_DIR needs a folder/m,
    )
    for (const end of [inFile, away, unreached, bad, nothing]) assert.equal(end.code, 1)
  })

  test('a PostgreSQL that is too old is told, whatever it does not know', async (t) => {
    const { db, url } = await newDatabase(t)
    // The version string of PostgreSQL 14, and its catalogue, which records no collation version.
    await sql`create view pg_database as select oid, datname, encoding from pg_catalog.pg_database`.execute(
      db,
    )
    await sql`create function current_setting(name text) returns text language sql return
      case name when 'server_version' then '14.20' when 'server_version_num' then '140020'
        else pg_catalog.current_setting(name) end`.execute(db)
    const old = new URL(url)
    old.searchParams.set('options', '-c search_path=public,pg_catalog')
    const { code, output } = await doctor(t, { DATABASE_URL: old.href })
    assert.equal(code, 1)
    assert.match(output, /^problem +database +PostgreSQL 14\.20 is too old\n +→ use 15 to 18$/m)
  })

  test('a database that a newer version was started on is a problem, and one from before 0.3.0', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    for (const [change, finding] of [
      [
        sql`insert into kysely_migration (name, timestamp) values ('999_future', '')`,
        /^problem +migrations +a newer or unreleased Handup was here: its newest migration is 999_future/m,
      ],
      [
        sql`delete from kysely_migration where name > '368'`,
        /^problem +migrations +of a Handup before 0\.3\.0: its newest migration is 367_lists_told/m,
      ],
    ] as const) {
      await change.execute(db)
      const { code, output } = await doctor(t, { DATABASE_URL: url })
      assert.equal(code, 1)
      assert.match(output, finding)
    }
  })
})

test('addresses that are safe, and those that are not', () => {
  const state = (variables: Record<string, string>) => checkAddress(readConfig(variables)).state
  assert.equal(state({}), 'ok')
  assert.equal(state({ BASE_URL: 'http://forum.example' }), 'problem')
  assert.equal(state({ BASE_URL: 'https://forum.example' }), 'warning')
  assert.equal(state({ BASE_URL: 'https://forum.example', TRUST_PROXY: 'loopback' }), 'ok')
  assert.equal(state({ NODE_ENV: 'production' }), 'warning')
})

test('a secret that others may read is a problem', async (t) => {
  const dataDir = await aTemporaryFolder(t)
  const config = readConfig({ DATA_DIR: dataDir })
  await writeFile(join(dataDir, 'secret'), 'x'.repeat(64), { mode: 0o600 })
  assert.equal((await checkSecret(config)).state, 'ok')
  await chmod(join(dataDir, 'secret'), 0o640)
  assert.equal((await checkSecret(config)).state, 'problem')
})

test('an old Node and a full disk are told', () => {
  assert.deepEqual([checkNode('24.1.0').state, checkNode('22.18.0').state], ['ok', 'warning'])
  const states = [100e6, 1e9, 50e9].map((free) => roomFinding('/data', free).state)
  assert.deepEqual(states, ['problem', 'warning', 'ok'])
})

test('a database whose DATA_DIR is not there is told with its size, and never advised to be deleted', async (t) => {
  const stateDir = await aTemporaryFolder(t)
  const cluster = join(stateDir, 'a'.repeat(16))
  await mkdir(cluster)
  await noteOwner(cluster, '/mnt/not-mounted/data')
  const [finding] = await checkClusters(null, stateDir)
  assert.match(finding?.says ?? '', /a{16} \(of \/mnt\/not-mounted\/data, 0 kB, last used never\)$/)
  assert.doesNotMatch(finding?.advice ?? '', /clear|remove|delete/)
  assert.deepEqual(await checkClusters('postgres://another/database', stateDir), [])
})

async function doctor(t: TestContext, variables: Readonly<Record<string, string>>) {
  const environment = { DATABASE_URL: '', SMTP_URL: '', BASE_URL: '', NODE_ENV: '', PORT: '' }
  return handupHere({ ...environment, DATA_DIR: await aTemporaryFolder(t), ...variables }, 'doctor')
}
