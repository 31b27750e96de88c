import { sql } from 'kysely'
import type { Language, Write } from '../../database/schema.ts'
import { mailViews } from '../../mail/letter.ts'
import type { RenewedMail } from '../../mail/renewal.ts'
import { subjectOf } from '../../mail/write-mail.ts'
import { type Scope, unsubscribeToken } from './choices.ts'
import type { Reader } from './contents.ts'

export interface Sender {
  readonly baseUrl: string
  /** Signs the links that end mail. */
  readonly secret: string
}

export interface ListMail {
  readonly language: Language
  readonly subject: string
  readonly unsubscribeUrl: string
}

interface ListLetter {
  readonly reader: Reader
  readonly mail: ListMail
  readonly kind: string
  /** The template: `/mailing/news`. */
  readonly view: string
  readonly text: string
  /** The first part of List-Id. */
  readonly list: string
  readonly headers?: Readonly<Record<string, string>>
  /** To very many at once: it is sent after mail that its reader waits for. */
  readonly isBroadcast: boolean
  readonly tells?: readonly object[]
}

/** Adds mails that their readers can end to the outbox, behind mails that accounts need. */
export async function writeListMails(write: Write, sender: Sender, letters: readonly ListLetter[]) {
  if (letters.length === 0) return
  const rendered = letters.map((letter) => renderedListMail(letter.reader, letter.mail, letter))
  const headers = letters.map((letter) => JSON.stringify(headersOf(sender, letter)))
  const tells = letters.map((letter) => JSON.stringify(letter.tells ?? []))
  await sql`
    insert into mails (kind, person_id, language, is_bulk, is_broadcast, recipient, subject, text, html, headers, tells)
    select kind, person_id, language, true, is_broadcast, recipient, subject, text, html, headers::jsonb, tells::jsonb
    from unnest(${letters.map(({ kind }) => kind)}::text[], ${letters.map(({ reader }) => reader.id)}::bigint[],
      ${letters.map(({ mail }) => mail.language)}::text[], ${letters.map(({ isBroadcast }) => isBroadcast)}::boolean[],
      ${rendered.map(({ recipient }) => recipient)}::text[], ${rendered.map(({ subject }) => subject)}::text[],
      ${rendered.map(({ text }) => text)}::text[], ${rendered.map(({ html }) => html)}::text[],
      ${headers}::text[], ${tells}::text[])
      as letter (kind, person_id, language, is_broadcast, recipient, subject, text, html, headers, tells)`.execute(
    write,
  )
}

/** RFC 2919, 2369, 8058. */
function headersOf({ baseUrl }: Sender, { list, mail, headers }: ListLetter): Record<string, string> {
  return {
    'List-Id': `<${list}.${new URL(baseUrl).hostname}>`,
    Precedence: 'list',
    'List-Unsubscribe': `<${mail.unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    ...headers,
  }
}

/** What such a mail says and to whom: as it is written, and again as it is sent. */
export function renderedListMail(
  { email }: Pick<Reader, 'email'>,
  mail: ListMail,
  { view, text }: Pick<ListLetter, 'view' | 'text'>,
): RenewedMail {
  const subject = subjectOf(mail)
  return { recipient: email, subject, text, html: mailViews.render(view, { ...mail, subject }) }
}

/** Where a person ends what a mail is about, without signing in. */
export function unsubscribeUrlOf({ baseUrl, secret }: Sender, personId: number, scope: Scope): string {
  return `${baseUrl}/unsubscribe/${unsubscribeToken(secret, { personId, scope })}`
}
