import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { AddressTaken } from '../../accounts/address/address.ts'
import { createPerson } from '../../accounts/sign-in/commands.ts'
import type { Database, Language, Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { hashToken } from '../../web/tokens.ts'

const NONCE_BYTES = 16

/** What a new forum begins with. */
export interface SetUp {
  readonly admin: { readonly displayName: string; readonly email: string; readonly passwordHash: string }
  readonly course: {
    readonly title: string
    readonly field: string
    readonly language: Language
    readonly timeZone: string
    /** Titles in their order. */
    readonly lectures: readonly string[]
  }
}

export interface SetUpDone {
  readonly adminId: number
  readonly courseSlug: string
}

/** A link to the set-up page. */
export interface SetUpLink {
  readonly url: string
  readonly expiresAt: Date
}

/** OWASP ASVS 5.0, 6.4.1: the link is in a log, and makes an admin. */
const LIFE = sql`interval '1 hour'`
/** What a start that is no younger than this has printed is good for the next start, too: several instances begin together. */
const SHARED = sql`interval '10 minutes'`

/**
 * The one-time link to the set-up page of a forum that has no admin yet, good for about an hour; null when it has one. It follows from
 * the secret and a random number in the database, so that instances with that secret that start together print the same one. A later
 * start, or one with another secret, ends it and makes a new one.
 */
export async function ensureSetUpLink(
  db: Database,
  baseUrl: string,
  secret: string,
): Promise<SetUpLink | null> {
  if (await hasAdmin(db)) return null
  const fresh = newLink(secret)
  await db
    .insertInto('set_up_links')
    .values(fresh)
    .onConflict((conflict) => conflict.column('is_only').doNothing())
    .execute()
  return db.transaction().execute(async (write) => {
    const kept = await write
      .selectFrom('set_up_links')
      .select(['nonce', 'token_hash', 'expires_at as expiresAt'])
      .select(sql<boolean>`expires_at > now() + ${LIFE} - ${SHARED}`.as('isShared'))
      .forUpdate()
      .executeTakeFirst()
    // Somebody opened it in between, and is admin now.
    if (kept === undefined) return null
    const token = tokenFrom(secret, kept.nonce)
    if (kept.isShared && hashToken(token).equals(kept.token_hash))
      return { url: setUpUrl(baseUrl, token), expiresAt: kept.expiresAt }
    return replaceLink(write, baseUrl, secret)
  })
}

/** Makes a new link, and ends the one before; null: the forum has an admin. */
export async function newSetUpLink(db: Database, baseUrl: string, secret: string): Promise<SetUpLink | null> {
  if (await hasAdmin(db)) return null
  return replaceLink(db, baseUrl, secret)
}

async function replaceLink(write: Database | Write, baseUrl: string, secret: string): Promise<SetUpLink> {
  const fresh = newLink(secret)
  const { expiresAt } = await write
    .insertInto('set_up_links')
    .values(fresh)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet(fresh))
    .returning('expires_at as expiresAt')
    .executeTakeFirstOrThrow()
  return { url: setUpUrl(baseUrl, tokenFrom(secret, fresh.nonce)), expiresAt }
}

function newLink(secret: string) {
  const nonce = randomBytes(NONCE_BYTES)
  return { nonce, token_hash: hashToken(tokenFrom(secret, nonce)), expires_at: sql<Date>`now() + ${LIFE}` }
}

const setUpUrl = (baseUrl: string, token: string) => `${baseUrl}/set-up?token=${token}`

function tokenFrom(secret: string, nonce: Buffer): string {
  return createHmac('sha256', secret).update('handup set-up').update(nonce).digest('base64url')
}

/** Whether a token opens the set-up page: it is the one in force, within its hour, and nobody is admin yet. */
export async function isSetUpToken(db: Database, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('set_up_links')
    .select('is_only')
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined && !(await hasAdmin(db))
}

/**
 * Makes the admin and the first course, whose instructor the admin is, and ends the link: all or nothing. Of several at once
 * only one finds the link.
 * @returns null when the link is no good (any more)
 * @throws AddressTaken when somebody has the address; the link still works then
 */
export async function setUp(
  db: Database,
  token: string,
  { admin, course }: SetUp,
): Promise<SetUpDone | null> {
  return db.transaction().execute(async (write) => {
    if (!(await takeLink(write, token)) || (await hasAdmin(write))) return null
    const adminId = await createPerson(write, { ...admin, isAdmin: true, isConfirmed: true })
    if (adminId === null) throw new AddressTaken()
    const { lectures, ...newCourse } = course
    const { id, slug } = await createCourse(write, newCourse)
    await setLectures(
      write,
      id,
      lectures.map((title, index) => ({ position: index + 1, title })),
    )
    await addMember(write, id, adminId, 'instructor')
    return { adminId, courseSlug: slug }
  })
}

async function takeLink(write: Write, token: string): Promise<boolean> {
  const taken = await write
    .deleteFrom('set_up_links')
    .where('token_hash', '=', hashToken(token))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return taken.numDeletedRows === 1n
}

async function hasAdmin(db: Database | Write): Promise<boolean> {
  const { has } = await db
    .selectNoFrom(sql<boolean>`exists (select from people where is_admin)`.as('has'))
    .executeTakeFirstOrThrow()
  return has
}
