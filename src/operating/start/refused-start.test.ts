import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { aFolder } from '../../database/embedded/testing.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { handup } from '../backup/testing.ts'
import { assertOneLine, freePort, START, startInProcess } from './testing.ts'

suite('a start that cannot be', () => {
  test('says in one line which variable is bad', async (t) => {
    await assertOneLine(await startInProcess(t, { PORT: 'x' }), /^handup: PORT must be a number/)
  })

  test('says in one line that a port is in use, before it has opened the database', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const port = String((server.address() as AddressInfo).port)
    // It would say that the database does not answer.
    const variables = { DATABASE_URL: 'postgres://127.0.0.1:1/none', DATA_DIR: await aFolder(t) }
    const mails = { REPLY_ADDRESS: 'reply@forum.example', INBOUND_PORT: port }
    for (const [variable, more] of [
      ['PORT', { PORT: port }],
      ['PORT', { PORT: port, WORKERS: '2' }],
      ['METRICS_PORT', { METRICS_PORT: port }],
      ['INBOUND_PORT', mails],
    ] as const)
      await assertOneLine(
        await startInProcess(t, { ...variables, ...more }),
        new RegExp(`^handup: ${variable} ${port} on 127.0.0.1 is in use`),
      )
  })

  test('says in one line that DATA_DIR is on a read-only disk, whether it is there or not', async (t) => {
    const disk = await aFolder(t)
    const mounted = [
      '-rm',
      'sh',
      '-c',
      `mount -t tmpfs none ${disk} && mkdir ${disk}/here && mount -o remount,ro ${disk} && "$@"`,
      '-',
    ]
    const inside = (command: readonly string[]) => ['unshare', ...mounted, ...command] as const
    if (spawnSync('unshare', [...mounted, 'true']).status !== 0) return t.skip('nothing can be mounted here')
    for (const folder of ['here', 'not/yet'])
      for (const SECRET of ['', 'a'.repeat(40)])
        await assertOneLine(
          await startInProcess(
            t,
            { DATA_DIR: join(disk, folder), SECRET },
            inside([process.execPath, ...START]),
          ),
          /^handup: DATA_DIR \S+ is on a read-only disk: mount it for writing, or set DATA_DIR to another folder$/,
        )
  })

  test('says in one line that Node is too old, and what to do', async (t) => {
    const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '22.4.0' } })`
    const forum = await startInProcess(t, {}, [process.execPath, '--import', older, ...START])
    await assertOneLine(
      forum,
      /^handup: this is Node 22\.4\.0, and Handup needs 24 or later: start it with npm start/,
    )
  })

  test('says in one line that DATA_DIR is a file, or lies in one', async (t) => {
    const file = join(await aFolder(t), 'file')
    await writeFile(file, '')
    for (const DATA_DIR of [file, join(file, 'data')])
      await assertOneLine(
        await startInProcess(t, { DATA_DIR }),
        /^handup: DATA_DIR \S+ (is a file|can’t be written)/,
      )
  })

  test('says in one line that another PostgreSQL made the embedded database, and where the way is described', async (t) => {
    const DATA_DIR = await aFolder(t)
    const cluster = join(DATA_DIR, 'postgres')
    await mkdir(cluster, { mode: 0o700 })
    await Promise.all([
      writeFile(join(cluster, 'PG_VERSION'), '17\n'),
      writeFile(join(DATA_DIR, 'postgres-password'), `${'a'.repeat(43)}\n`),
    ])
    const line =
      /^handup: \S+ was made by PostgreSQL 17, this Handup brings 18 and has changed nothing: make a backup/
    await assertOneLine(await startInProcess(t, { DATA_DIR }), line)
    const { code, output } = await handup({ DATA_DIR }, 'backup', join(DATA_DIR, 'file.backup'))
    assert.equal(code, 1)
    assert.match(output, line)
    assert.equal(output.trim().split('\n').length, 1)
    const [, file = '', heading = ''] = /\((docs\/\S+), "(.+)"\)/.exec(output) ?? []
    assert.match(
      await readFile(join(import.meta.dirname, '../../..', file), 'utf8'),
      new RegExp(`^#+ ${heading}$`, 'm'),
    )
  })

  test('says in one line that a newer Handup was started on the database, by command, too', async (t) => {
    const { db, url } = await testDatabaseWithUrl(t)
    await sql`
      insert into kysely_migration (name, timestamp)
      select '9' || lpad(n::text, 2, '0') || '_future', '' from generate_series(0, 99) as n`.execute(db)
    const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t) }
    const line =
      /^handup: A newer or unreleased Handup .*\(its newest migration is 999_future, that of this version \d{3}_\w+\): start that version, or restore a backup made before it into an empty database\n?$/
    await assertOneLine(await startInProcess(t, variables), line)
    const { code, output } = await handup(variables, 'migrate')
    assert.equal(code, 1)
    assert.match(output, line)
    assert.equal(output.trim().split('\n').length, 1)
  })

  test('says in one line that the database is read-only', async (t) => {
    const { db, url } = await newDatabase(t)
    await sql`
      do $$ begin
        execute format('alter database %I set default_transaction_read_only = on', current_database());
      end $$`.execute(db)
    const forum = await startInProcess(t, { DATABASE_URL: url, DATA_DIR: await aFolder(t) })
    await assertOneLine(forum, /^handup: DATABASE_URL is read-only .*target_session_attrs=read-write$/)
  })

  test('says in one line what is wrong with the database', async (t) => {
    const { url } = await testDatabaseWithUrl(t)
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url)
      change(other)
      return other.href
    }
    const port = await freePort()
    const cases: [string, RegExp][] = [
      [
        changed((other) => (other.port = String(port))),
        /^handup: DATABASE_URL does not answer: .*ECONNREFUSED/,
      ],
      [
        changed((other) => (other.pathname = '/no_such_database')),
        /^handup: DATABASE_URL .*"no_such_database" does not exist/,
      ],
      [
        changed((other) => (other.password = 'wrong')),
        /^handup: DATABASE_URL .*password authentication failed/,
      ],
    ]
    const folder = await aFolder(t)
    await Promise.all(
      cases.map(async ([DATABASE_URL, pattern]) => {
        await assertOneLine(await startInProcess(t, { DATABASE_URL, DATA_DIR: folder }), pattern)
      }),
    )
  })
})
