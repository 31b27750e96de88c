import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'
import { countTries, countTry, untriedOf } from '../database/tries.ts'
import { LETTERS } from '../kernel/limits.ts'
import { escapeText } from '../text/escape.ts'
import { type Letter, renderLetter } from './letter.ts'
import { isWaiting } from './outbox.ts'

/**
 * Counts a mail to an address, in the transaction that writes it.
 * @param what a separate count from other mails to the address
 * @returns false when the address is over its limit: kernel/limits.ts
 */
export async function countMailTo(
  write: Write,
  email: string,
  what: string,
  limit: { readonly max: number; readonly window: number } = LETTERS,
): Promise<boolean> {
  const { count } = await countTry(write, limitName(what, email), limit.window)
  return count <= limit.max
}

/**
 * Adds a letter to the outbox, in the transaction of the event it reports: it is sent if and only if that commits.
 * Mail to an unconfirmed address is rate limited, so that an account cannot flood a stranger's mailbox.
 */
export async function writeMail(write: Write, letter: Letter): Promise<void> {
  const { kind, to, personId, language, isCapped } = letter
  if (isCapped && !(await countMailTo(write, to, 'unconfirmed'))) return
  const subject = subjectOf(letter)
  const content = renderLetter({ ...letter, subject })
  await write
    .insertInto('mails')
    .values({ kind, recipient: to, person_id: personId, language, subject, ...content })
    .execute()
}

/** Stands in a letter to many for the name of each: a character that nobody types. */
export const NAME_PLACE = '\uE000'

/**
 * Adds one letter to the outbox for each of many addresses that have no account, behind all other mails. Left out is where mail
 * came back or was refused for good, and who had such a letter in `window` milliseconds or too many others.
 * @param about what they are told of: they are told once
 * @param tells `mails.tells`
 * @param people their addresses in lower case, each once, and the names that stand in the letter instead of NAME_PLACE
 * @returns how many are told
 */
export async function writeToStrangers(
  write: Write,
  letter: Omit<Letter, 'to' | 'personId' | 'isCapped'>,
  people: readonly { readonly email: string; readonly name?: string | null }[],
  {
    about,
    window,
    tells,
  }: { readonly about: string; readonly window: number; readonly tells: readonly object[] },
): Promise<number> {
  const names = new Map(people.map(({ email, name }) => [email, name ?? '']))
  const count = (what: string, emails: readonly string[], milliseconds: number) => {
    const limits = emails.map((email) => limitName(what, email))
    return countTries(write, limits, milliseconds)
  }
  const reachable = await reachableAmong(write, [...names.keys()])
  const isNew = await count(about, reachable, window)
  const fresh = reachable.filter((_, index) => isNew[index] === 1)
  const letters = await count('unconfirmed', fresh, LETTERS.window)
  const told = fresh.filter((_, index) => (letters[index] ?? 0) <= LETTERS.max)
  if (told.length === 0) return 0
  const { kind, language } = letter
  const subject = subjectOf(letter)
  const { text, html } = renderLetter({ ...letter, subject })
  const said = told.map((email) => names.get(email) ?? '')
  await sql`
    insert into mails (kind, recipient, language, subject, text, html, is_bulk, is_broadcast, tells)
    select ${kind}, recipient, ${language}, ${subject}, replace(${text}, ${NAME_PLACE}, name),
      replace(${html}, ${NAME_PLACE}, name_html), true, true, ${JSON.stringify(tells)}::jsonb
    from unnest(${told}::text[], ${said}::text[], ${said.map(escapeText)}::text[]) as one (recipient, name, name_html)`.execute(
    write,
  )
  return told.length
}

/** Those of many addresses who were not told of something yet, as writeToStrangers counts it, in their order. */
export async function untoldOf(
  write: Write,
  addresses: readonly string[],
  about: string,
): Promise<Set<string>> {
  const names = new Map(addresses.map((email) => [limitName(about, email), email]))
  const untried = await untriedOf(write, [...names.keys()])
  return new Set(untried.map((name) => names.get(name) ?? ''))
}

/** Indexes: mails_bulk, jobs_key. */
async function reachableAmong(write: Write, addresses: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from unnest(${addresses}::text[]) as one (address)
    where not exists (select from mails where recipient = address and is_bulk
      and (bounced_at is not null or (sent_at is null and not ${isWaiting})))`.execute(write)
  return rows.map(({ address }) => address)
}

/**
 * At most 200 characters, none of them a control character, which could end the header (OWASP ASVS 5.0,
 * 1.3.11).
 */
export function subjectOf({ subject }: Pick<Letter, 'subject'>): string {
  return [...subject.replace(/\p{Cc}+/gu, ' ')].slice(0, 200).join('')
}

/** Quoted, so that no address equals the name of another limit. */
function limitName(what: string, email: string): string {
  return JSON.stringify(['mail', what, email])
}
