import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { beginSession, personOfSessionHash } from '../../accounts/sessions/sessions.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { hashToken } from '../../web/tokens.ts'
import { readActor } from '../actor.ts'
import { owesSecondFactor } from './person.ts'
import { changeSiteSettings } from './site-settings.ts'

test('staff without a second factor owe one where the forum requires it, and every reader of a person says so', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const [withApp, begun] = [await aMember(db, course, 'instructor'), await aMember(db, course, 'instructor')]
  for (const [person, confirmedAt] of [
    [withApp, new Date()],
    [begun, null],
  ] as const)
    await db
      .insertInto('second_factors')
      .values({ person_id: person.id, secret: Buffer.alloc(60), confirmed_at: confirmedAt })
      .execute()
  const people = [
    [await aPerson(db), false],
    [await aMember(db, course), false],
    [await aMember(db, course, 'assistant'), true],
    [await aMember(db, course, 'instructor'), true],
    [await aPerson(db, { isAdmin: true }), true],
    [withApp, false],
    [begun, true],
  ] as const
  for (const staffNeedSecondFactor of [true, false]) {
    await changeSiteSettings(db, { staffNeedSecondFactor })
    for (const [index, [{ id }, owes]] of people.entries()) {
      const expected = owes && staffNeedSecondFactor
      const { rows } = await sql<{ owes: boolean }>`
        select ${owesSecondFactor} as owes from people as person where person.id = ${id}`.execute(db)
      assert.equal(rows[0]?.owes, expected, String(index))
      const visiting = await personOfSessionHash(db, hashToken(await beginSession(db, id, 'a test')))
      assert.equal(visiting?.owesSecondFactor, expected, `a session, ${index}`)
      const doer = await db.transaction().execute((write) => readActor(write, { id }))
      assert.ok(doer !== null && doer !== 'operator')
      assert.equal(doer.owesSecondFactor, expected, `an actor, ${index}`)
    }
  }
})

test('who owes a second factor is decided by one text', async () => {
  const sources = join(import.meta.dirname, '../..')
  const asking: string[] = []
  for (const file of await readdir(sources, { recursive: true }))
    if (
      /(?<!test|testing)\.ts$/.test(file) &&
      /select from site_settings/.test(await readFile(join(sources, file), 'utf8'))
    )
      asking.push(file)
  assert.deepEqual(asking, ['kernel/rights/person.ts'])
})
