import { sql } from 'kysely'
import { ownPart } from '../../kernel/own-data.ts'
import { listPasskeys } from '../passkeys/passkey.ts'

export const ownAccount = ownPart('account', (db, { id }) =>
  db
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
    .where('id', '=', id)
    .executeTakeFirstOrThrow(),
)

export const ownAccess = [
  ownPart('sessions', (db, { id }) =>
    db
      .selectFrom('sessions')
      .select(['user_agent as browser', 'signed_in_at as signedInAt', 'last_seen_at as lastSeenAt'])
      .where('person_id', '=', id)
      .orderBy('signed_in_at')
      .execute(),
  ),
  // Names and dates: keys are of no use to anybody else.
  ownPart('passkeys', async (db, { id }) => {
    const passkeys = await listPasskeys(db, id)
    return passkeys.map(({ id: _, ...passkey }) => passkey)
  }),
  // Accounts at providers: who they are there is theirs to know.
  ownPart('linkedAccounts', (db, { id }) =>
    db
      .selectFrom('linked_accounts')
      .select(['issuer', 'subject', 'account_name as accountName'])
      .select(['linked_at as linkedAt', 'last_used_at as lastUsedAt'])
      .where('person_id', '=', id)
      .orderBy('id')
      .execute(),
  ),
  ownPart('tokens', (db, { id }) =>
    db
      .selectFrom('api_tokens')
      .select(['name', 'scopes', 'created_at as createdAt'])
      .select(['ends_at as endsAt', 'last_used_at as lastUsedAt'])
      .where('person_id', '=', id)
      .orderBy('id')
      .execute(),
  ),
  ownPart('mails', (db, { id }) =>
    db
      .selectFrom('mails')
      .select(['recipient', 'subject', 'written_at as writtenAt', 'sent_at as sentAt'])
      .where('person_id', '=', id)
      .orderBy('id')
      .execute(),
  ),
]

/** Their sign-in events, and what they did as staff. Index audit_actor. */
export const ownActivity = ownPart('activity', (db, { id }) =>
  db
    .selectFrom('audit')
    .select(['happened_at as at', 'act', 'role', 'detail'])
    .where('actor_id', '=', id)
    .orderBy('happened_at')
    .orderBy('id')
    .execute(),
)
