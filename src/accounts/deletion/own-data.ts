import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { listPasskeys } from '../passkeys/passkey.ts'

export const ownAccount = ownPart('account', (db, { id }) => accountOf(db, id))

export const ownAccess = [
  ownPart('sessions', (db, { id }) => sessionsOf(db, id)),
  ownPart('passkeys', (db, { id }) => passkeysOf(db, id)),
  ownPart('linkedAccounts', (db, { id }) => linkedAccountsOf(db, id)),
  ownPart('tokens', (db, { id }) => tokensOf(db, id)),
  ownPart('mails', (db, { id }) => mailsOf(db, id)),
]

export const ownActivity = ownPart('activity', (db, { id }) => activityOf(db, id))

function accountOf(db: Database, personId: number) {
  return db
    .selectFrom('people')
    .select(['id', 'display_name as name', 'email', 'email_confirmed_at as emailConfirmedAt'])
    .select(['language', 'time_zone as timeZone', 'theme', 'is_admin as isAdmin', 'joined_at as joinedAt'])
    .select(
      sql<boolean>`exists (select from second_factors as factor
        where factor.person_id = people.id and factor.confirmed_at is not null)`.as('hasSecondFactor'),
    )
    .select(
      sql<number[]>`array(select from_id from account_merges where into_id = people.id order by id)`.as(
        'mergedAccounts',
      ),
    )
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
}

function sessionsOf(db: Database, personId: number) {
  return db
    .selectFrom('sessions')
    .select(['user_agent as browser', 'signed_in_at as signedInAt', 'last_seen_at as lastSeenAt'])
    .where('person_id', '=', personId)
    .orderBy('signed_in_at')
    .execute()
}

/** Names and dates: keys are of no use to anybody else. */
async function passkeysOf(db: Database, personId: number) {
  const passkeys = await listPasskeys(db, personId)
  return passkeys.map(({ id: _, ...passkey }) => passkey)
}

/** Accounts at providers: who they are there is theirs to know. */
function linkedAccountsOf(db: Database, personId: number) {
  return db
    .selectFrom('linked_accounts')
    .select(['issuer', 'subject', 'account_name as accountName'])
    .select(['linked_at as linkedAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** Names and dates of tokens for programs. */
function tokensOf(db: Database, personId: number) {
  return db
    .selectFrom('api_tokens')
    .select(['name', 'scopes', 'created_at as createdAt', 'ends_at as endsAt', 'last_used_at as lastUsedAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

function mailsOf(db: Database, personId: number) {
  return db
    .selectFrom('mails')
    .select(['recipient', 'subject', 'written_at as writtenAt', 'sent_at as sentAt'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
}

/** Their sign-in events, and what they did as staff. Index audit_actor. */
function activityOf(db: Database, personId: number) {
  return db
    .selectFrom('audit')
    .select(['happened_at as at', 'act', 'role', 'detail'])
    .where('actor_id', '=', personId)
    .orderBy('happened_at')
    .orderBy('id')
    .execute()
}
