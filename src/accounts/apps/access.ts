import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { type Person, personFields } from '../../kernel/rights/person.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { narrowed } from '../tokens/access.ts'
import { KeptAccess, USED_STEP } from '../tokens/kept-access.ts'
import type { AgentAccess } from './agent-access.ts'
import { mayAsk } from './app.ts'

/** What an access token gives an app. */
export interface AppAccess extends AgentAccess {
  readonly grantId: number
  readonly endsAt: Date
}

/** What access tokens of apps give. That the settings of the forum changed touches all that is kept. */
export class KeptApps extends KeptAccess<AppAccess> {
  constructor(db: Database, changes: ChangeFeed | null) {
    super(changes, {
      kind: 'access',
      find: (hash) => findAccess(db, hash),
      scopeOf: ({ person }) => `access:${person.id}`,
    })
  }
}

async function findAccess(db: Database, hash: Buffer): Promise<AppAccess | null> {
  const row = await db
    .selectFrom('app_tokens as token')
    .innerJoin('app_grants as its', 'its.id', 'token.grant_id')
    .innerJoin('apps as app', 'app.id', 'its.app_id')
    .innerJoin('people as person', 'person.id', 'its.person_id')
    .select(['its.id as grantId', 'its.scopes', 'its.is_everywhere', 'token.ends_at as endsAt'])
    .select(['app.client_id as clientId', 'app.is_registered as isRegistered', 'app.name as client'])
    .select([
      // As JSON, which has numbers.
      sql<
        number[]
      >`(select coalesce(jsonb_agg(course_id), '[]') from app_grant_courses where grant_id = its.id)`.as(
        'chosen',
      ),
      sql<boolean>`its.last_used_at is null or its.last_used_at < now() - ${USED_STEP}`.as('isStale'),
    ])
    .select(personFields(null))
    .where('token.token_hash', '=', hash)
    .where('token.kind', '=', 'access')
    .where('token.ends_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (row === undefined) return null
  const { grantId, scopes, is_everywhere: isEverywhere, endsAt, ...more } = row
  const { clientId, isRegistered, client, chosen, isStale, ...person } = more
  if (!mayAsk(await findSiteSettings(db), { clientId, isRegistered })) return null
  if (isStale) await markUsed(db, grantId)
  const courseIds = isEverywhere ? null : chosen
  return { grantId, scopes, courseIds, client, endsAt, person: narrowedTo(person, { scopes, courseIds }) }
}

/**
 * The rights of an app's person as they are now, in the transaction of a write. What they let it do stays until that ends.
 * @returns null: it has ended
 */
export async function personOfApp(write: Write, access: AppAccess, person: Person): Promise<Person | null> {
  const grant = await write
    .selectFrom('app_grants')
    .select('id')
    .where('id', '=', access.grantId)
    .forKeyShare()
    .executeTakeFirst()
  return grant === undefined ? null : narrowedTo(person, access)
}

/** No more than an app was let do: as staff only to see what waits, and never the names behind anonymous posts. */
function narrowedTo(person: Person, { scopes, courseIds }: Pick<AppAccess, 'scopes' | 'courseIds'>): Person {
  const isStaff = scopes.includes('waiting')
  return { ...person, ...narrowed(person, { isStaff, courseIds }), seesNoNames: true }
}

async function markUsed(db: Database, id: number): Promise<void> {
  await db.updateTable('app_grants').set({ last_used_at: sql<Date>`now()` }).where('id', '=', id).execute()
}
