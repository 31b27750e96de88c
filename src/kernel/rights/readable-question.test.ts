import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { readForum } from '../../testing/forum.ts'
import { type Actor, may, rulingOn } from './rights.ts'
import { changeSiteSettings } from './site-settings.ts'
import { isReadableByPerson, joinReader, readableTo, shownTo } from './visibility.ts'
import { aWorld } from './world-testing.ts'

for (const staffNeedSecondFactor of [false, true]) {
  const where = staffNeedSecondFactor ? ', where staff owe a second factor' : ''

  suite(`whom a query lets read is whom the table of rights lets${where}`, () => {
    const forum = readForum(async ({ db }) => {
      const world = await aWorld(db)
      await changeSiteSettings(db, { staffNeedSecondFactor })
      return world
    })

    test('of many people', async () => {
      const { db, world } = forum
      let compared = 0
      for (const actor of Object.values(world.actors)) {
        for (const { id, name, facts } of world.postsFor(actor).question) {
          const { rows } = await sql<{ isReadable: boolean }>`
            select ${isReadableByPerson} as "isReadable" from questions as q
            join people as person on person.id = ${actor.id} ${joinReader} where q.id = ${id}`.execute(db)
          const owing = { ...actor, owesSecondFactor: staffNeedSecondFactor }
          const isReadable = may(owing, 'read', facts) && !facts.isDeleted
          assert.equal(rows[0]?.isReadable === true, isReadable, `${actor.id}: ${name}`)
          compared += 1
        }
      }
      assert.ok(compared > 20)
    })

    test('of one reader', async () => {
      const { db, world } = forum
      for (const known of [null, ...Object.values(world.actors)]) {
        const actor = known === null ? null : { ...known, owesSecondFactor: staffNeedSecondFactor }
        for (const { id, name, facts } of world.postsFor(actor).question)
          assert.equal(
            await isFound(db, readableTo(actor), sql`q.id = ${id}`),
            rulingOn(actor, 'read', facts) !== 'hidden',
            `${actor?.id}: ${name}`,
          )
        await comparePosts(db, actor, world.postsFor(actor))
      }
    })
  })
}

/** Answers and replies, which are there where their question can be read and both they and their answer are shown to the reader. */
async function comparePosts(
  db: Database,
  actor: Actor | null,
  { answer, reply }: ReturnType<Awaited<ReturnType<typeof aWorld>>['postsFor']>,
): Promise<void> {
  for (const { id, name, facts } of answer) {
    const isThere = sql<boolean>`${readableTo(actor)} and ${shownTo(actor, 'a')}`
    const isExpected = may(actor, 'read', facts) && !facts.isDeleted
    assert.equal(await isFound(db, isThere, sql`a.id = ${id}`), isExpected, `${actor?.id}: ${name}`)
  }
  for (const { id, name, facts } of reply) {
    const isThere = sql<boolean>`${readableTo(actor)} and ${shownTo(actor, 'r')}
      and (r.answer_id is null or ${shownTo(actor, 'parent')})`
    const isExpected = may(actor, 'read', facts) && !facts.isDeleted
    assert.equal(await isFound(db, isThere, sql`r.id = ${id}`), isExpected, `${actor?.id}: ${name}`)
  }
}

async function isFound(
  db: Database,
  isThere: RawBuilder<boolean>,
  named: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql`
    select from questions as q join courses as course on course.id = q.course_id
    left join answers as a on a.question_id = q.id left join replies as r on r.question_id = q.id
    left join answers as parent on parent.id = r.answer_id where ${isThere} and ${named}`.execute(db)
  return rows.length > 0
}
