import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPasskeyRow } from '../../accounts/passkeys/row-testing.ts'
import { beginSecondFactor } from '../../accounts/second-factor/second-factor.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aPerson } from '../../testing/people.ts'
import { handupHere } from './testing.ts'

test('an operator takes an app and passkeys away, and their owner is told', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const person = await aPerson(db)
  await beginSecondFactor(db, ['x'.repeat(32)], person.id)
  await db.updateTable('second_factors').set({ confirmed_at: new Date() }).execute()
  await addPasskeyRow(db, person.id)
  const environment = { DATABASE_URL: url, BASE_URL: 'https://forum.example.org', LOG_LEVEL: 'silent' }
  const off = (email: string) => handupHere(environment, 'user', 'second-factor-off', email)

  const done = await off(person.email.toUpperCase())
  assert.equal(done.code, 0, done.output)
  for (const table of ['second_factors', 'passkeys'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
  const mail = await db.selectFrom('mails').selectAll().executeTakeFirstOrThrow()
  assert.equal(mail.kind, 'secondFactorOff')
  assert.match(mail.text, /^https:\/\/forum\.example\.org\/forgotten-password$/m)
  for (const email of [person.email, 'nobody@example.org']) {
    const refused = await off(email)
    assert.equal(refused.code, 1)
    assert.equal(refused.output.trim().split('\n').length, 1, refused.output)
  }
})
