import type { Language, Write } from '../../database/schema.ts'
import { mailViews } from '../../mail/mail-views.ts'
import type { RenewedMail } from '../../mail/renewal.ts'
import { subjectOf } from '../../mail/write-mail.ts'
import type { Reader } from './contents.ts'
import { type Scope, unsubscribeToken } from './scope.ts'

/** What every mail to a list knows of the forum. */
export interface Sender {
  /** BASE_URL. */
  readonly baseUrl: string
  /** Signs the links that end mail. */
  readonly secret: string
}

/** What the template of a mail to a list needs at least. */
export interface ListMail {
  readonly language: Language
  readonly subject: string
  readonly unsubscribeUrl: string
}

export interface ListMailOptions {
  readonly kind: string
  /** The template: `/mailing/news`. */
  readonly view: string
  readonly text: string
  /** The first part of List-Id. */
  readonly list: string
  /** Beside those of every such mail. */
  readonly headers?: Readonly<Record<string, string>>
  /** To very many at once: it is sent after mail that its reader waits for. */
  readonly isBroadcast: boolean
  /** `mails.tells`. */
  readonly tells?: readonly object[]
}

/** Adds a mail that its reader can end to the outbox, behind mails that accounts need (RFC 2919, 2369, 8058). */
export async function writeListMail(
  write: Write,
  reader: Reader,
  { baseUrl }: Sender,
  mail: ListMail,
  { kind, view, text, list, isBroadcast, headers, tells = [] }: ListMailOptions,
): Promise<void> {
  const { language, unsubscribeUrl } = mail
  const all = {
    'List-Id': `<${list}.${new URL(baseUrl).hostname}>`,
    Precedence: 'list',
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    ...headers,
  }
  await write
    .insertInto('mails')
    .values({
      ...{
        kind,
        person_id: reader.id,
        language,
        is_bulk: true,
        is_broadcast: isBroadcast,
        ...renderedListMail(reader, mail, { view, text }),
      },
      headers: JSON.stringify(all),
      tells: JSON.stringify(tells),
    })
    .execute()
}

/** What such a mail says and to whom: as it is written, and again as it is sent. */
export function renderedListMail(
  { email }: Pick<Reader, 'email'>,
  mail: ListMail,
  { view, text }: Pick<ListMailOptions, 'view' | 'text'>,
): RenewedMail {
  const subject = subjectOf(mail)
  return { recipient: email, subject, text, html: mailViews.render(view, { ...mail, subject }) }
}

/** Where a person ends what a mail is about, without signing in. */
export function unsubscribeUrlOf({ baseUrl, secret }: Sender, personId: number, scope: Scope): string {
  return `${baseUrl}/unsubscribe/${unsubscribeToken(secret, { personId, scope })}`
}
