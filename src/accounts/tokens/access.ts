import { sql } from 'kysely'
import type { Database, Role, TokenScope, Write } from '../../database/schema.ts'
import { owesSecondFactor, type Person, rolesOfPerson } from '../../kernel/rights/person.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { KeptAccess, USED_STEP } from './kept-access.ts'

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

/** What API tokens give. */
export class KeptTokens extends KeptAccess<TokenAccess> {
  constructor(db: Database, changes: ChangeFeed | null) {
    super(changes, {
      kind: 'api',
      find: (hash) => findAccess(db, hash),
      scopeOf: ({ personId, course }) =>
        personId === null ? `course:${course?.id ?? 0}` : `access:${personId}`,
    })
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
      ...narrowed(rights, narrowingOf(scopes, courseId)),
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
  return token === undefined
    ? null
    : { ...person, ...narrowed(person, narrowingOf(scopes, course?.id ?? null)) }
}

/** What a token leaves its person. */
interface Narrowing {
  /** Their rights as staff; otherwise they are a learner where they have a role. */
  readonly isStaff: boolean
  /** The only courses where it counts; null: all. */
  readonly courseIds: readonly number[] | null
}

const narrowingOf = (scopes: readonly TokenScope[], courseId: number | null): Narrowing => ({
  isStaff: scopes.includes('staff'),
  courseIds: courseId === null ? null : [courseId],
})

/** No more rights than a token gives. */
export function narrowed(
  { isAdmin, roles }: Pick<Person, 'isAdmin' | 'roles'>,
  { isStaff, courseIds }: Narrowing,
): Pick<Person, 'isAdmin' | 'roles' | 'onlyCourseIds' | 'account'> {
  const account = { isAdmin, roles }
  const granted = Object.entries(roles)
    .filter(([id]) => courseIds === null || courseIds.includes(Number(id)))
    .map(([id, role]): [string, Role] => [id, isStaff ? role : 'learner'])
  if (courseIds === null) return { account, isAdmin: isAdmin && isStaff, roles: Object.fromEntries(granted) }
  const asAdmin = isAdmin
    ? courseIds.map((id) => [id, isStaff ? ('instructor' as const) : ('learner' as const)])
    : []
  const there = { ...Object.fromEntries(granted), ...Object.fromEntries(asAdmin) }
  return { account, isAdmin: false, roles: there, onlyCourseIds: courseIds }
}

async function markUsed(db: Database, id: number): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: sql<Date>`now()` }).where('id', '=', id).execute()
}
