import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database, Write } from '../../database/schema.ts'
import { apart, holder, missed, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { ownPart } from '../../kernel/own-data.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { hashToken } from '../../web/tokens.ts'
import { newSecret, type SecretKind } from '../tokens/secret.ts'
import type { AgentScope } from './agent-access.ts'
import { type App, hashOf } from './app.ts'

const isAlive = sql<boolean>`exists (select from app_tokens as token where token.grant_id = app_grants.id and token.ends_at > now())`

export const appTables = [
  table('app_grants', { person_id: apart(missed(holder)) }, { expired: sql`not ${isAlive}` }),
  table(
    'apps',
    {},
    {
      expired: sql`not is_registered and not exists (select from app_grants as its where its.app_id = apps.id)`,
    },
  ),
  // A code or a refresh token that comes again after it ended still tells that it was stolen.
  table('app_tokens', {}, { key: ['token_hash'], expired: sql`ends_at < now() - ${term('appTokens')}` }),
]

/** Apps that one person let in: more than anybody uses. The oldest ends. */
const MAX_GRANTS = 50
export const ACCESS_SECONDS = 3600

/** What a person lets an app do. */
export interface Allowed {
  readonly app: App
  readonly scopes: readonly AgentScope[]
  /** The only courses; null: all that they may read. */
  readonly courseIds: readonly number[] | null
  readonly redirectUri: string
  readonly codeChallenge: string
}

/** Records what a person, whose account is locked, lets an app do. @returns the code; null: an admin ended the app meanwhile */
export async function grantAccess(write: Write, personId: number, allowed: Allowed): Promise<string | null> {
  const { app, courseIds, redirectUri, codeChallenge } = allowed
  const appId = await keepApp(write, app)
  if (appId === null) return null
  const grant = await write
    .insertInto('app_grants')
    .values({
      app_id: appId,
      person_id: personId,
      scopes: [...allowed.scopes],
      is_everywhere: courseIds === null,
      described_hash: hashOf(app),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const courses = (courseIds ?? []).map((courseId) => ({ grant_id: grant.id, course_id: courseId }))
  if (courses.length > 0) await write.insertInto('app_grant_courses').values(courses).execute()
  const older = write.selectFrom('app_grants').select('id').where('person_id', '=', personId)
  await write
    .deleteFrom('app_grants')
    .where('id', 'in', older.orderBy('id', 'desc').offset(MAX_GRANTS))
    .execute()
  return addToken(write, grant.id, 'code', sql`now() + interval '60 seconds'`, {
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
  })
}

/** A registered app stays until the transaction ends; one with a document is as that describes it now. */
async function keepApp(write: Write, { clientId, name, redirectUris, isRegistered }: App) {
  const described = { name, redirect_uris: [...redirectUris] }
  const kept = isRegistered
    ? await write
        .selectFrom('apps')
        .select('id')
        .where('client_id', '=', clientId)
        .forKeyShare()
        .executeTakeFirst()
    : await write
        .insertInto('apps')
        .values({ client_id: clientId, ...described, is_registered: false })
        .onConflict((conflict) => conflict.column('client_id').doUpdateSet(described))
        .returning('id')
        .executeTakeFirstOrThrow()
  return kept?.id ?? null
}

async function addToken(
  write: Write,
  grantId: number,
  kind: Exclude<SecretKind, 'api'>,
  endsAt: ReturnType<typeof sql>,
  more: { readonly redirect_uri?: string; readonly code_challenge?: string } = {},
): Promise<string> {
  const secret = newSecret(kind)
  await write
    .insertInto('app_tokens')
    .values({
      token_hash: hashToken(secret),
      grant_id: grantId,
      kind,
      ends_at: sql<Date>`${endsAt}`,
      ...more,
    })
    .execute()
  return secret
}

/** A code or a refresh token as it was presented, with what it belongs to, which is locked; null: none of ours. */
export async function lockPresented(write: Write, kind: 'code' | 'refresh', secret: string) {
  const hash = hashToken(secret)
  const found = await write
    .selectFrom('app_tokens')
    .select('grant_id')
    .where('token_hash', '=', hash)
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (found === undefined) return null
  // First what it belongs to: whatever ends that locks in this order.
  const grant = await write
    .selectFrom('app_grants')
    .innerJoin('apps as app', 'app.id', 'app_grants.app_id')
    .select(['app_grants.id', 'app_grants.person_id as personId', 'app_grants.scopes'])
    .select(['app_grants.described_hash as describedHash', 'app.client_id as clientId'])
    .select('app.is_registered as isRegistered')
    .where('app_grants.id', '=', found.grant_id)
    .forUpdate('app_grants')
    .executeTakeFirst()
  const token = await write
    .selectFrom('app_tokens')
    .select(['redirect_uri as redirectUri', 'code_challenge as codeChallenge', 'token_hash as hash'])
    .select([sql<boolean>`used_at is not null`.as('isUsed'), sql<boolean>`ends_at <= now()`.as('hasEnded')])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  return grant === undefined || token === undefined ? null : { grant, token }
}

/** Spends what was presented for an access token and the next refresh token. */
export async function renewAccess(write: Write, grantId: number, presented: Buffer) {
  await write
    .updateTable('app_tokens')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', presented)
    .execute()
  const whole = sql`(select created_at + ${term('appsWhole')} from app_grants where id = ${grantId})`
  return {
    access_token: await addToken(
      write,
      grantId,
      'access',
      sql`now() + make_interval(secs => ${ACCESS_SECONDS})`,
    ),
    refresh_token: await addToken(write, grantId, 'refresh', sql`least(now() + ${term('apps')}, ${whole})`),
  }
}

/** Ends what somebody let an app do, with all its codes and tokens. @returns false: there is nothing of that number */
export async function endGrant(write: Write, id: number, personId: number): Promise<boolean> {
  const ended = await write
    .deleteFrom('app_grants')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return ended.numDeletedRows === 1n
}

/** What a person lets apps do, the latest first, with those of its courses that they may read. Uses index app_grants_person. */
export function listGrants(db: Database, person: Actor) {
  return db
    .selectFrom('app_grants')
    .innerJoin('apps as app', 'app.id', 'app_grants.app_id')
    .select(['app_grants.id', 'app.name', 'app.client_id as clientId', 'app.is_registered as isRegistered'])
    .select(['app_grants.scopes', 'app_grants.is_everywhere as isEverywhere'])
    .select(['app_grants.created_at as createdAt', 'app_grants.last_used_at as lastUsedAt'])
    .select((select) =>
      jsonArrayFrom(
        select
          .selectFrom('app_grant_courses as its')
          .innerJoin('courses as course', 'course.id', 'its.course_id')
          .select('course.title')
          .whereRef('its.grant_id', '=', 'app_grants.id')
          .where(visibleTo(person))
          .orderBy(sql`lower(course.title)`),
      ).as('courses'),
    )
    .where('app_grants.person_id', '=', person.id)
    .where(isAlive)
    .orderBy('app_grants.id', 'desc')
    .execute()
}

export const ownApps = ownPart('apps', async (db, person) => {
  const grants = await listGrants(db, person)
  return grants.map(({ id: _, isEverywhere, courses, ...grant }) => ({
    ...grant,
    courses: isEverywhere ? null : courses.map(({ title }) => title),
  }))
})
