import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import {
  checkReplication,
  checkTuning,
  type Replication,
  replicationFindings,
  type Tuning,
  tuningFindings,
} from './server.ts'

const TUNED: Tuning = {
  ...{ fsync: true, fullPageWrites: true, autovacuum: true, maxConnections: 100, jit: false },
  ...{ sharedBuffers: 2 ** 30, randomPageCost: 1.1, size: 2 ** 31 },
}

test('doctor names settings of an external PostgreSQL that lose data or make pages slow', async (t) => {
  const states = (change: Partial<Tuning>, workers = 2) =>
    tuningFindings({ ...TUNED, ...change }, workers).map(({ state, says }) => `${state}: ${says}`)
  assert.deepEqual(states({}), ['ok: shared_buffers 1024 MB, max_connections 100'])
  assert.match(states({ fsync: false })[0] ?? '', /^problem: fsync is off/)
  assert.match(states({ fullPageWrites: false })[0] ?? '', /^problem: full_page_writes is off/)
  assert.match(states({ autovacuum: false })[0] ?? '', /^problem: autovacuum is off/)
  assert.match(states({}, 20)[0] ?? '', /^warning: max_connections is 100; 20 processes, .* need up to 130/)
  assert.match(
    states({ size: 2 ** 34 })[0] ?? '',
    /^warning: shared_buffers 1024 MB for a database of 16384 MB/,
  )
  assert.match(states({ randomPageCost: 4, jit: true })[0] ?? '', /^warning: random_page_cost 4, jit on/)
  const db = await testDatabase(t)
  const [real] = await checkTuning(db, 1)
  assert.ok(real !== undefined && /fsync|shared_buffers/.test(real.says), real?.says)
})

test('doctor says whether what is written reaches another machine', async (t) => {
  const none: Replication = {
    ...{
      isArchiving: false,
      isArchivingBroken: false,
      standbys: 0,
      lag: null,
      idleSlots: [],
      keptForSlots: 0,
    },
  }
  const says = (change: Partial<Replication>) =>
    replicationFindings({ ...none, ...change }).map((found) => `${found.state}: ${found.says}`)
  assert.deepEqual(says({ isArchiving: true, standbys: 2, lag: 3.2 }), [
    'ok: 2 standbys, 3 s behind, continuous archiving',
  ])
  assert.match(
    says({ isArchiving: true, isArchivingBroken: true })[0] ?? '',
    /^problem: archive_command fails/,
  )
  assert.match(says({ standbys: 1, lag: 1200 })[0] ?? '', /^warning: a standby is 20 min behind/)
  assert.match(
    says({ idleSlots: ['old'], keptForSlots: 2 ** 30 })[0] ?? '',
    /^warning: .* old: .* 1024 MB of log/,
  )
  const [real] = await checkReplication(await testDatabase(t))
  assert.match(real?.says ?? '', /^none that PostgreSQL knows of/)
})
