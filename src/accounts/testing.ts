import assert from 'node:assert/strict'
import type { Config } from '../config.ts'
import type { Database, Write } from '../database/schema.ts'
import { testApp } from '../testing/app.ts'
import type { Ending } from '../testing/at-end.ts'
import { testDatabase } from '../testing/database.ts'
import { aPerson } from '../testing/people.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { type LockedPerson, lockPerson } from './identity/lock.ts'
import { hashPassword } from './identity/passwords.ts'

export const PASSWORD = 'four plain words here'

/** A forum with one person, who signs in with PASSWORD. */
export async function aForum(test: Ending, overrides: Partial<Config> = {}) {
  const db = await testDatabase(test)
  const app = await testApp(test, db, overrides)
  const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
  return { app, db, person }
}

/** What an address got, oldest first. */
export function lettersTo(db: Database, email: string) {
  return db
    .selectFrom('mails')
    .select(['kind', 'language', 'subject', 'text', 'html'])
    .where('recipient', '=', email)
    .orderBy('id')
    .execute()
}

/** Path and token of the link in the newest letter that an address got. */
export async function linkTo(db: Database, email: string): Promise<{ path: string; token: string }> {
  const text = (await lettersTo(db, email)).at(-1)?.text ?? ''
  const link = /^http:\/\/localhost:3000(\/[\w-]+\?token=([\w-]{43}))$/m.exec(text)
  assert.ok(link !== null, `no link in: ${text}`)
  return { path: link[1] ?? '', token: link[2] ?? '' }
}

/**
 * Lets something begin, and somebody change the account while it waits for that account: so that what it looked at before is
 * no more.
 * @param begin what waits
 * @returns what it gives once the change is done
 */
export async function overtaken<Answer>(
  db: Database,
  { id }: { readonly id: number },
  begin: () => Promise<Answer>,
  change: (write: Write, person: LockedPerson) => Promise<unknown>,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  await db.transaction().execute(async (write) => {
    const person = await lockPerson(write, id)
    assert.ok(person !== null)
    resolve(begin())
    await untilWaiting(db)
    await change(write, person)
  })
  return promise
}
