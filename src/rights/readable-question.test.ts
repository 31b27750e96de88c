import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { isReadableByPerson, joinReader } from './readable-question.ts'
import { may } from './rights.ts'
import { aWorld } from './world-testing.ts'

test('whom a query over many people lets read a question is whom the table of rights lets', async (t) => {
  const db = await testDatabase(t)
  const world = await aWorld(db)
  let compared = 0
  for (const actor of Object.values(world.actors)) {
    for (const { id, name, facts } of world.postsFor(actor).question) {
      const { rows } = await sql<{ isReadable: boolean }>`
        select ${isReadableByPerson} as "isReadable" from questions as q
        join people as person on person.id = ${actor.id} ${joinReader} where q.id = ${id}`.execute(db)
      assert.equal(
        rows[0]?.isReadable === true,
        may(actor, 'read', facts) && !facts.isDeleted,
        `${actor.id}: ${name}`,
      )
      compared += 1
    }
  }
  assert.ok(compared > 20)
})
