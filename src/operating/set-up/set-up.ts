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

/**
 * The one-time link to the set-up page of a forum that has no admin yet; null when it has one. It follows from the secret
 * and a random number in the database, so that all instances with that secret print the same one at every start. A start
 * with another secret ends it and makes a new one.
 */
export async function ensureSetUpLink(db: Database, baseUrl: string, secret: string): Promise<string | null> {
  if (await hasAdmin(db)) return null
  const nonce = randomBytes(NONCE_BYTES)
  const fresh = { nonce, token_hash: hashToken(tokenFrom(secret, nonce)) }
  await db
    .insertInto('set_up_links')
    .values(fresh)
    .onConflict((conflict) => conflict.column('is_only').doNothing())
    .execute()
  return db.transaction().execute(async (write) => {
    const kept = await write
      .selectFrom('set_up_links')
      .select(['nonce', 'token_hash'])
      .forUpdate()
      .executeTakeFirst()
    // Somebody opened it in between, and is admin now.
    if (kept === undefined) return null
    const token = tokenFrom(secret, kept.nonce)
    if (hashToken(token).equals(kept.token_hash)) return `${baseUrl}/set-up?token=${token}`
    await write.updateTable('set_up_links').set(fresh).execute()
    return `${baseUrl}/set-up?token=${tokenFrom(secret, nonce)}`
  })
}

function tokenFrom(secret: string, nonce: Buffer): string {
  return createHmac('sha256', secret).update('handup set-up').update(nonce).digest('base64url')
}

/** Whether a token opens the set-up page: it is the one in force, and nobody is admin yet. */
export async function isSetUpToken(db: Database, token: string): Promise<boolean> {
  const row = await db
    .selectFrom('set_up_links')
    .select('is_only')
    .where('token_hash', '=', hashToken(token))
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
    .executeTakeFirst()
  return taken.numDeletedRows === 1n
}

async function hasAdmin(db: Database | Write): Promise<boolean> {
  const { has } = await db
    .selectNoFrom(sql<boolean>`exists (select from people where is_admin)`.as('has'))
    .executeTakeFirstOrThrow()
  return has
}
