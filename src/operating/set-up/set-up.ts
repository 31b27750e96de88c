import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { AddressTaken } from '../../accounts/address/address.ts'
import { displayName, email, newPassword } from '../../accounts/identity/fields.ts'
import { timeZone } from '../../accounts/identity/forms.ts'
import { DeadLink } from '../../accounts/identity/mail-links.ts'
import { hashedPassword } from '../../accounts/identity/passwords.ts'
import { createPerson } from '../../accounts/sign-in/sign-up.ts'
import type { Database, Write } from '../../database/schema.ts'
import { addMember, createCourse, setLectures } from '../../forum/courses/commands.ts'
import { choice, line, text, titleLine } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { lengthOf } from '../../text/characters.ts'
import { form } from '../../web/form.ts'
import { hashToken } from '../../web/tokens.ts'

/** As the constraints of the tables courses and lectures have it. */
const TITLE = { min: 1, max: 150 } as const
const FIELD = { min: 0, max: 50 } as const
const LECTURES = 500

/** One title a line; empty lines are skipped. */
const lectures = text({ min: 0, max: 100_000, long: 'setUp.lectures.many' }).transform((value, context) => {
  const titles = value
    .split('\n')
    .map((title) => title.trim().replace(/\s+/gu, ' '))
    .filter((title) => title !== '')
  const tooLong = titles.findIndex((title) => lengthOf(title) > TITLE.max)
  if (tooLong >= 0) {
    const params = { position: tooLong + 1, max: TITLE.max }
    context.addIssue({ code: 'custom', message: 'setUp.lectures.long', params })
  } else if (titles.length > LECTURES) {
    context.addIssue({ code: 'custom', message: 'setUp.lectures.many', params: { max: LECTURES } })
  }
  return titles
})

/** The first admin, but for the password, and the first course. */
const setUpFields = {
  token: z.string().max(200),
  display_name: displayName(),
  email: email(),
  title: titleLine({ ...TITLE, short: 'setUp.title.short', long: 'setUp.title.long' }),
  field: line({ ...FIELD, long: 'setUp.field.long' }),
  language: choice(['en', 'ko']),
  time_zone: timeZone(),
  lectures,
}

export const setUpForm = form({ ...setUpFields, password: newPassword() })

const NONCE_BYTES = 16

/** OWASP ASVS 5.0, 6.4.1: the link is in a log, and makes an admin. */
const LIFE = sql`interval '1 hour'`
/** What a start that is no younger than this has printed is good for the next start, too: several instances begin together. */
const SHARED = sql`interval '10 minutes'`

/**
 * The one-time link to the set-up page of a forum that has no admin yet, good for about an hour; null when it has one. It follows from
 * the secret and a random number in the database, so that instances with that secret that start together print the same one. A later
 * start, or one with another secret, ends it and makes a new one.
 */
export async function ensureSetUpLink(db: Database, baseUrl: string, secret: string) {
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
export async function newSetUpLink(db: Database, baseUrl: string, secret: string) {
  if (await hasAdmin(db)) return null
  return replaceLink(db, baseUrl, secret)
}

async function replaceLink(write: Database | Write, baseUrl: string, secret: string) {
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
 * @throws DeadLink when it is no good (any more), AddressTaken when somebody has the address: it still works then
 */
export const setUp = operation({
  name: 'set-up',
  right: 'visit',
  find: async () => null,
  limit: 'signUp',
  input: { ...setUpFields, password: hashedPassword },
  events: ['set-up'],
  async run({ write, input, note }) {
    if (!(await takeLink(write, input.token)) || (await hasAdmin(write))) throw new DeadLink()
    const { display_name: displayName, email, password } = input
    const account = { displayName, email, passwordHash: password.hash, isAdmin: true, isConfirmed: true }
    const adminId = await createPerson(write, account)
    if (adminId === null) throw new AddressTaken()
    const { title, field, language, time_zone: timeZone, lectures } = input
    const { id, slug } = await createCourse(write, { title, field, language, timeZone })
    const numbered = lectures.map((title, index) => ({ position: index + 1, title }))
    await setLectures(write, id, numbered)
    await addMember(write, id, adminId, 'instructor')
    note('set-up', { personId: adminId })
    return { adminId, courseSlug: slug }
  },
})

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
