import { sql } from 'kysely'
import type { Database, MailLinkPurpose, Write } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { LETTERS } from '../../kernel/limits.ts'
import { countMailTo } from '../../mail/write-mail.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import { lockPeople } from './lock.ts'

export const mailLinks = table(
  'mail_links',
  { person_id: apart(holder) },
  { expired: sql`expires_at < now() - interval '1 day'` },
)

/**
 * How long each link works. One that sets a password lives an hour at the most (OWASP ASVS 5.0, 6.4.1).
 * Somebody who took over an account may have read along for days: the ways back stay open for a week.
 */
const LIFE = {
  'new-password': sql`interval '1 hour'`,
  'confirm-email': sql`interval '3 days'`,
  'change-email': sql`interval '1 day'`,
  'undo-email-change': sql`interval '7 days'`,
  'undo-second-factor': sql`interval '7 days'`,
} as const

export interface NewMailLink {
  readonly personId: number
  readonly purpose: MailLinkPurpose
  readonly email: string
  /** A path of ours, for a link that confirms an address. */
  readonly nextPath?: string
}

/** Thrown where a link is no good (any more). */
export class DeadLink extends Error {}

/**
 * The person is locked: two that ask at once are both counted.
 * @returns the token of a new link; null when the account, or the address for all accounts, has had enough of
 *   them in the last hour
 */
export async function askForMailLink(write: Write, link: NewMailLink): Promise<string | null> {
  const { count } = await write
    .selectFrom('mail_links')
    .select(sql<number>`count(*)`.as('count'))
    .where('person_id', '=', link.personId)
    .where('purpose', '=', link.purpose)
    .where('made_at', '>', sql<Date>`now() - ${LETTERS.window} * interval '1 millisecond'`)
    .executeTakeFirstOrThrow()
  if (count >= LETTERS.max || !(await countMailTo(write, link.email, link.purpose))) return null
  return makeMailLink(write, link)
}

/** @returns the token of a new link, however many there are: for what nobody can ask for at will */
export async function makeMailLink(write: Write, link: NewMailLink): Promise<string> {
  const token = newToken()
  await write
    .insertInto('mail_links')
    .values({
      token_hash: hashToken(token),
      person_id: link.personId,
      purpose: link.purpose,
      email: link.email,
      expires_at: sql<Date>`now() + ${LIFE[link.purpose]}`,
      next_path: link.nextPath ?? null,
      was_confirmed: sql<boolean>`(select email_confirmed_at is not null from people where id = ${link.personId})`,
    })
    .execute()
  return token
}

/**
 * What a link would do. `email`: the address it is about; `wasConfirmed`: whether the account's was confirmed
 * when the link was made; `nextPath`: where using it leads, null: nowhere in particular. Changes nothing.
 * @returns null when it is used, too old, for something else, or none of ours
 */
export async function findMailLink(
  db: Database | Write,
  purposes: readonly MailLinkPurpose[],
  token: string,
) {
  const row = await db
    .selectFrom('mail_links as link')
    .innerJoin('people as person', 'person.id', 'link.person_id')
    .select(['person.id as personId', 'person.display_name as displayName', 'link.purpose', 'link.email'])
    .select(['link.was_confirmed as wasConfirmed', 'link.next_path as nextPath'])
    .where('link.token_hash', '=', hashToken(token))
    .where('link.purpose', 'in', purposes)
    .where('link.used_at', 'is', null)
    .where('link.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row === undefined ? null : { ...row, token }
}
export type MailLink = NonNullable<Awaited<ReturnType<typeof findMailLink>>>

/** Uses a link up, its person and others locked: one of several at once gets it. @throws DeadLink */
export async function useMailLink(
  write: Write,
  purposes: readonly MailLinkPurpose[],
  token: string,
  others: readonly number[] = [],
) {
  const link = await findMailLink(write, purposes, token)
  if (link === null) throw new DeadLink()
  const people = await lockPeople(write, [link.personId, ...others])
  const person = people.find(({ id }) => id === link.personId)
  const used = await write
    .updateTable('mail_links')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  if (person === undefined || used.numUpdatedRows !== 1n) throw new DeadLink()
  return { ...link, person, accountId: link.personId }
}

/** Ends a person's links for these purposes, except the one whose token is given. A row stays for an hour, to be counted. */
export async function endMailLinks(
  write: Write,
  personId: number,
  purposes: readonly MailLinkPurpose[],
  except: string | null = null,
): Promise<void> {
  await write
    .updateTable('mail_links')
    .set({ used_at: sql<Date>`now()` })
    .where('person_id', '=', personId)
    .where('purpose', 'in', purposes)
    .where('used_at', 'is', null)
    .$if(except !== null, (query) => query.where('token_hash', '!=', hashToken(except ?? '')))
    .execute()
}
