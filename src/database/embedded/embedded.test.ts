import assert from 'node:assert/strict'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { readPostmasterFile } from './postmaster.ts'
import { processStamp } from './process.ts'
import { aDatabase, aFolder, optionsFor, query, theUsedFolder } from './testing.ts'

test('a first start fills an empty folder, a later one finds what was written', async (t) => {
  const options = optionsFor(await aFolder(t))
  await mkdir(join(options.dataDir, 'postgres'), { recursive: true })
  const first = await startEmbedded(options)
  assert.equal(first.isNew, true)
  await query(first.url, 'create table kept as select 1 as one')
  await first.stop()

  const second = await aDatabase(t, options)
  assert.equal(second.isNew, false)
  assert.deepEqual(await query(second.url, 'select one from kept'), [{ one: 1 }])
})

test('a running database', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const { url } = await aDatabase(t, options)
  const log = () => readFile(join(options.dataDir, 'postgres.log'), 'utf8')

  await t.test('is UTF-8 with ICU root collation, checksums and a role without superpowers', async () => {
    const [facts] = await query(
      url,
      `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
              current_setting('data_checksums') as checksums, current_user as role,
              (select rolsuper from pg_roles where rolname = current_user) as super,
              'a' < 'B' as ordered_for_people, lower('ÀÉ') as lowered
         from pg_database where datname = 'handup'`,
    )
    assert.deepEqual(facts, {
      encoding: 'UTF8',
      provider: 'i',
      locale: 'und',
      checksums: 'on',
      role: 'handup',
      super: false,
      ordered_for_people: true,
      lowered: 'àé',
    })
  })

  await t.test('lets its role make trusted extensions and databases', async () => {
    await query(url, 'create extension pg_trgm')
    await query(url, 'create database handup_test')
  })

  await t.test('listens on 127.0.0.1 alone, without a Unix socket', async () => {
    const sinceStart = (await log()).split('starting PostgreSQL').at(-1)
    const places = sinceStart?.match(/listening on .*/g)
    assert.deepEqual(places, [`listening on IPv4 address "127.0.0.1", port ${new URL(url).port}`])
  })

  await t.test('has its secret in a private file, in no command line and no log', async () => {
    const passwordFile = join(options.dataDir, 'postgres-password')
    assert.equal((await stat(passwordFile)).mode & 0o777, 0o600)
    const secret = (await readFile(passwordFile, 'utf8')).trim()
    const server = await readPostmasterFile(join(options.dataDir, 'postgres'))
    const seen = [await log()]
    if (process.platform === 'linux') seen.push(await readFile(`/proc/${server?.pid}/cmdline`, 'utf8'))
    for (const password of [secret, new URL(url).password]) {
      assert.ok(password.length >= 40)
      for (const text of seen) assert.ok(!text.includes(password))
    }
  })

  await t.test('refuses a wrong password', async () => {
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await assert.rejects(query(wrong.href, 'select 1'), (error: pg.DatabaseError) => error.code === '28P01')
  })
})

test('stop() leaves no process, may be called twice, and a stopped folder starts again', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const database = await startEmbedded(options)
  const server = await readPostmasterFile(join(options.dataDir, 'postgres'))
  assert.ok(server)
  const open = new pg.Client(database.url)
  open.on('error', () => {})
  await open.connect()
  await open.query('begin')
  await Promise.all([database.stop(), database.stop()])
  await database.stop()
  assert.equal(processStamp(server.pid), null)
  assert.equal(await readPostmasterFile(join(options.dataDir, 'postgres')), null)
  await (await startEmbedded(options)).stop()
})
