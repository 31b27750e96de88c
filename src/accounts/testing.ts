import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database, MailLinkPurpose, Write } from '../database/schema.ts'
import { testApp } from '../testing/app.ts'
import type { Ending } from '../testing/at-end.ts'
import type { Browser } from '../testing/browser.ts'
import { testDatabase } from '../testing/database.ts'
import { aPerson, type MadePerson, type PersonOptions } from '../testing/people.ts'
import { valuesOf } from '../testing/rows.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { type LockedPerson, lockPerson } from './identity/lock.ts'
import { makeMailLink } from './identity/mail-links.ts'
import { hashNewPassword, hashPassword } from './identity/passwords.ts'
import type { Way } from './identity/ways.ts'
import { beginSession } from './sessions/sessions.ts'
import { makeSignInLink } from './sign-in/links.ts'

export const PASSWORD = 'four plain words here'

/** Another good one. */
export const OTHER_PASSWORD = 'a row of seven green bottles'

let stored: Promise<string> | null = null

/** Somebody who signs in with PASSWORD, which is hashed once for all of a process's tests. */
export async function anOwner(db: Database, options: PersonOptions = {}): Promise<MadePerson> {
  stored ??= hashPassword(PASSWORD)
  return aPerson(db, { passwordHash: await stored, ...options })
}

/** A forum with one person, who signs in with PASSWORD. */
export async function aForum(test: Ending, overrides: Partial<Config> = {}) {
  const db = await testDatabase(test)
  const app = await testApp(test, db, overrides)
  return { app, db, person: await anOwner(db) }
}

/** The input of operations that set a password: OTHER_PASSWORD. */
export async function otherPassword(forum: Parameters<typeof hashNewPassword>[0]) {
  return { password: await hashNewPassword(forum, OTHER_PASSWORD, { displayName: '', email: null }) }
}

/** A person in a new session, as `act` takes what they do to their own account. */
export async function inSession(db: Database, person: { readonly id: number }, ways: readonly Way[] = []) {
  const sessionToken = await beginSession(db, person.id, 'a test', ways)
  return { actor: person, key: { personId: person.id, sessionToken } }
}

/** The token of a new link that signs somebody in. */
export async function signInToken(db: Database, { id }: { readonly id: number }): Promise<string> {
  return tokenIn(await makeSignInLink(db, id, 'http://localhost:3000'))
}

/** The token of a new link of a letter. */
export async function mailToken(
  db: Database,
  { id: personId, email }: { readonly id: number; readonly email: string },
  purpose: MailLinkPurpose,
): Promise<string> {
  return db.transaction().execute((write) => makeMailLink(write, { personId, purpose, email }))
}

/** The token of a link. */
export function tokenIn(link: unknown): string {
  return new URL(String(link), 'http://localhost:3000').searchParams.get('token') ?? ''
}

export async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/settings')).statusCode === 200
}

/** An account's address, and how many of everything open it. */
export async function waysInto(db: Database, { id }: { readonly id: number }) {
  const count = (table: string) =>
    sql<number>`(select count(*) from ${sql.table(table)} where person_id = ${id})`
  const { rows } = await sql<Record<keyof typeof NO_WAY_IN, number> & { email: string | null }>`select email,
      (password_hash is not null)::integer as passwords, ${count('sessions')} as sessions,
      ${count('passkeys')} as passkeys, ${count('second_factors')} as apps,
      ${count('recovery_codes')} as "recoveryCodes", ${count('linked_accounts')} as links
    from people where id = ${id}`.execute(db)
  return rows[0] ?? assert.fail('no such person')
}

export const NO_WAY_IN = { passwords: 0, sessions: 0, passkeys: 0, apps: 0, recoveryCodes: 0, links: 0 }

/** What an address got, oldest first. */
export function lettersTo(db: Database, email: string) {
  return db
    .selectFrom('mails')
    .select(['kind', 'language', 'subject', 'text', 'html'])
    .where('recipient', '=', email)
    .orderBy('id')
    .execute()
}

/** Their kinds. */
export const kindsTo = async (db: Database, email: string) => valuesOf(await lettersTo(db, email), 'kind')

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
  // It may be refused before this knows that the change is committed: that is the caller's to see.
  promise.catch(() => undefined)
  await db.transaction().execute(async (write) => {
    const person = await lockPerson(write, id)
    assert.ok(person !== null)
    resolve(begin())
    await untilWaiting(db)
    await change(write, person)
  })
  return promise
}
