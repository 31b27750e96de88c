import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { testApp } from '../testing/app.ts'
import { atEnd, type Ending } from '../testing/at-end.ts'
import { aQuestion } from '../testing/builders.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { aProxy } from '../testing/proxy.ts'
import { ChangeFeed } from '../web/change-feed/change-feed.ts'
import { connect } from './connection.ts'
import type { Database } from './schema.ts'

/** Two proxies to one database, standing in for two servers. */
async function twoHosts(t: Ending) {
  const { db, url } = await testDatabaseWithUrl(t)
  const [first, second] = [await aProxy(t, url), await aProxy(t, url)]
  const both = new URL(url)
  const hosts = url.replace(both.host, `127.0.0.1:${first.port},127.0.0.1:${second.port}`)
  const pool = connect(`${hosts}?target_session_attrs=read-write`)
  atEnd(t, () => pool.destroy())
  return { db, url: hosts, pool, first, second }
}

const ask = (db: Database) => sql`select 1`.execute(db)

test('the next host is used while the first one is away, for queries and for LISTEN', async (t) => {
  const { db, url, pool, first, second } = await twoHosts(t)
  await ask(pool)
  await first.close()
  await untilItWorks(() => ask(pool))
  const changes = new ChangeFeed(url)
  await changes.open()
  atEnd(t, () => changes.close())
  assert.ok(changes.isLive)
  const heard = changes.clock.now
  await aQuestion(db)
  await changes.caughtUp()
  assert.ok(changes.clock.now > heard)
  await second.close()
  // The open connection fails first.
  await assert.rejects(ask(pool))
  await assert.rejects(ask(pool), { code: '08001', message: /ECONNREFUSED.*; .*ECONNREFUSED/ })
  await first.open()
  await untilItWorks(() => ask(pool))
})

test('with target_session_attrs=read-write a server that can only be read is found out, and again once it can be written', async (t) => {
  const { db, pool } = await twoHosts(t)
  await ask(pool)
  await makeReadOnly(db, true)
  // Connections that were open before may continue.
  await pool.connection().execute(async (held) => {
    await ask(held)
    await assert.rejects(
      Promise.all(Array.from({ length: 10 }, () => ask(pool))),
      /127\.0\.0\.1 can only be read/,
    )
  })
  await makeReadOnly(db, false)
  await ask(pool)
})

test('/readyz is 503 on a database that can only be read', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await makeReadOnly(db, true)
  const reading = connect(url)
  atEnd(t, () => reading.destroy())
  const app = await testApp(t, reading)
  const answer = await app.inject('/readyz')
  assert.equal(answer.statusCode, 503)
  assert.match(answer.body, /can only be read/)
  assert.equal((await app.inject('/healthz')).statusCode, 200)
})

async function makeReadOnly(db: Database, is: boolean): Promise<void> {
  await sql`
    do $$ begin
      execute format('alter database %I set default_transaction_read_only = ${sql.raw(is ? 'on' : 'off')}', current_database());
    end $$`.execute(db)
}

async function untilItWorks(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return void (await work())
    } catch (error) {
      if (attempt > 200) throw error
      await sleep(50)
    }
  }
}
