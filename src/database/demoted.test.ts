import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { atEnd } from '../testing/at-end.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { connect } from './connection.ts'

for (const [target, isReplaced] of [
  ['read-write', true],
  ['any', false],
] as const)
  test(`an idle connection whose server became read-only is ${isReplaced ? 'replaced' : 'kept'} with ${target}`, async (t) => {
    const { url } = await testDatabaseWithUrl(t)
    const clients: pg.PoolClient[] = []
    const db = connect(`${url}?target_session_attrs=${target}`, {
      connections: 1,
      onConnection: (client) => clients.push(client),
    })
    atEnd(t, () => db.destroy())
    await sql`select 1`.execute(db)
    // As PostgreSQL reports it since version 14.
    clients[0]?.connection.emit('parameterStatus', {
      parameterName: 'default_transaction_read_only',
      parameterValue: 'on',
    })
    await sql`select 1`.execute(db)
    assert.equal(clients.length, isReplaced ? 2 : 1)
  })
