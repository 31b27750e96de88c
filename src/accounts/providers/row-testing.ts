import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/schema.ts'
import { newToken } from '../../web/tokens.ts'
import { beginSignIn, keepUnlinked } from './sign-ins.ts'

/** A provider that is set up, and that nobody reaches in a test. @returns its id */
export async function addProviderRow(db: Database, name = 'github', label = 'GitHub'): Promise<number> {
  const row = await db
    .insertInto('identity_providers')
    .values({
      name,
      preset: 'github',
      label,
      issuer: null,
      client_id: 'forum',
      position: 1,
      role_claim: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** An account there that opens a person's own. @returns its id */
export async function addLinkRow(
  db: Database,
  personId: number,
  providerId: number,
  issuer = 'https://github.com',
  subject: string = randomUUID(),
): Promise<number> {
  const ids = { person_id: personId, provider_id: providerId }
  const row = await db
    .insertInto('linked_accounts')
    .values({ ...ids, issuer, subject, account_name: 'mina-at-work' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Somebody who came back from there and has no account here. @returns the cookie of their browser, and the state in their tab */
export async function addUnlinkedRow(db: Database, providerId: number) {
  const browser = newToken()
  const { state } = await beginSignIn(db, { providerId, browser, path: '/', personId: null, isAgain: false })
  await db.updateTable('provider_sign_ins').set({ returned_at: new Date() }).execute()
  const account = { issuer: 'https://github.com', subject: randomUUID(), name: 'Mina', email: null }
  await keepUnlinked(db, state, { ...account, isEmailVerified: false, sid: null, roleValues: null })
  return { cookie: ['sign-in-with', browser], state } as const
}
