import { sql } from 'kysely'
import type { Database, Role, TokenScope, Write } from '../../database/schema.ts'
import { owesSecondFactor, type Person, rolesOfPerson } from '../../kernel/rights/person.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { hashToken } from '../../web/tokens.ts'
import { isApiToken } from './token.ts'

/** The rights that a token gives, and the person it acts for. */
export interface TokenAccess {
  readonly tokenId: number
  readonly name: string
  readonly scopes: readonly TokenScope[]
  /** The person it acts for; null: a course, with the reading rights of its assistants. */
  readonly personId: number | null
  /** Somebody with no more rights than the token gives. */
  readonly person: Person
  /** The only course where it is valid; null: everywhere. */
  readonly course: { readonly id: number; readonly slug: string } | null
  readonly endsAt: Date
}

/** A token that nobody revokes is looked up again after as long: that it is used is noted then. */
const MAX_AGE_MS = 60_000
const MAX_TOKENS = 10_000
/** How exactly last_used_at is kept. */
const USED_STEP = sql`interval '1 minute'`

/**
 * Looks up the person a token acts for, once a minute. A token that is revoked, and whatever is changed of a person or of their roles, is
 * looked up again at once, in every process.
 */
export class KeptTokens {
  private readonly db: Database
  private readonly kept: ScopedCache<TokenAccess | null>

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.kept = new ScopedCache(changes, { maxSize: MAX_TOKENS, maxAgeMs: MAX_AGE_MS })
  }

  /** null: no token of ours, one that was revoked, or one that has ended. */
  async accessOf(token: string): Promise<TokenAccess | null> {
    if (!isApiToken(token)) return null
    const hash = hashToken(token)
    const access = await this.kept.find(hash.toString('base64'), async () => {
      const value = await findAccess(this.db, hash)
      if (value === null) return { value, scopes: null }
      const { personId, course } = value
      return { value, scopes: [personId === null ? `course:${course?.id ?? 0}` : `access:${personId}`] }
    })
    return access !== null && access.endsAt.getTime() > Date.now() ? access : null
  }
}

async function findAccess(db: Database, hash: Buffer): Promise<TokenAccess | null> {
  const row = await db
    .selectFrom('api_tokens as token')
    .leftJoin('people as person', 'person.id', 'token.person_id')
    .leftJoin('courses as course', 'course.id', 'token.course_id')
    .select(['token.id as token_id', 'token.name', 'token.scopes', 'token.ends_at', 'token.person_id'])
    .select(['course.id as course_id', 'course.slug as course_slug'])
    .select(['person.display_name', 'person.email', 'person.is_admin', 'person.language'])
    .select(['person.time_zone', 'person.new_until'])
    .select([
      sql<boolean>`token.last_used_at is null or token.last_used_at < now() - ${USED_STEP}`.as('is_stale'),
      rolesOfPerson.as('roles'),
      sql<boolean>`person.id is not null and ${owesSecondFactor}`.as('owes_second_factor'),
    ])
    .where('token.token_hash', '=', hash)
    .where('token.ends_at', '>', sql<Date>`now()`)
    // Its tokens end with it; whatever made one since gave it nothing.
    .where(sql<boolean>`not exists (select from course_deletions where course_id = token.course_id)`)
    .executeTakeFirst()
  if (row === undefined) return null
  if (row.is_stale) await markUsed(db, row.token_id)
  const { course_id: courseId, course_slug: slug, name, scopes } = row
  const course = courseId === null || slug === null ? null : { id: courseId, slug }
  const rights = {
    isAdmin: row.is_admin ?? false,
    roles: row.person_id === null && courseId !== null ? { [courseId]: 'assistant' as const } : row.roles,
  }
  return {
    tokenId: row.token_id,
    ...{ name, scopes, course },
    personId: row.person_id,
    endsAt: row.ends_at,
    person: {
      id: row.person_id ?? 0,
      displayName: row.display_name ?? '',
      email: row.email,
      language: row.language,
      timeZone: row.time_zone,
      theme: 'system',
      newUntil: row.new_until,
      owesSecondFactor: row.owes_second_factor,
      ...narrowed(rights, scopes, courseId),
    },
  }
}

/**
 * The rights of a token's person as they are now, in the transaction of a write. The token stays until that ends.
 * @returns null: it was revoked, or has ended
 */
export async function personOfToken(write: Write, { tokenId, scopes, course }: TokenAccess, person: Person) {
  const token = await write
    .selectFrom('api_tokens')
    .select('id')
    .where('id', '=', tokenId)
    .where('ends_at', '>', sql<Date>`now()`)
    .forKeyShare()
    .executeTakeFirst()
  return token === undefined ? null : { ...person, ...narrowed(person, scopes, course?.id ?? null) }
}

/** No more rights than a token gives: without the scope of staff those of a learner, and in its course alone if it has one. */
function narrowed(
  { isAdmin, roles }: Pick<Person, 'isAdmin' | 'roles'>,
  scopes: readonly TokenScope[],
  courseId: number | null,
): Pick<Person, 'isAdmin' | 'roles' | 'onlyCourseId' | 'account'> {
  const account = { isAdmin, roles }
  const isStaff = scopes.includes('staff')
  const granted = Object.entries(roles)
    .filter(([id]) => courseId === null || Number(id) === courseId)
    .map(([id, role]): [string, Role] => [id, isStaff ? role : 'learner'])
  if (courseId === null) return { account, isAdmin: isAdmin && isStaff, roles: Object.fromEntries(granted) }
  const adminRole = isAdmin ? { [courseId]: isStaff ? ('instructor' as const) : ('learner' as const) } : {}
  const there = { ...Object.fromEntries(granted), ...adminRole }
  return { account, isAdmin: false, roles: there, onlyCourseId: courseId }
}

async function markUsed(db: Database, id: number): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: sql<Date>`now()` }).where('id', '=', id).execute()
}
