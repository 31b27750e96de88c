import type { Config } from '../config.ts'
import { testApp } from '../testing/app.ts'
import type { Ending } from '../testing/at-end.ts'
import { testDatabase } from '../testing/database.ts'
import { aPerson } from '../testing/people.ts'
import { hashPassword } from './passwords.ts'

export const PASSWORD = 'four plain words here'

/** A forum with one person, who signs in with PASSWORD. */
export async function aForum(test: Ending, overrides: Partial<Config> = {}) {
  const db = await testDatabase(test)
  const app = await testApp(test, db, overrides)
  const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
  return { app, db, person }
}
