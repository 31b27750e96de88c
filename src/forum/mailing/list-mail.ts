import type { Language, Write } from '../../database/schema.ts'
import { mailViews } from '../../mail/letter.ts'
import type { RenewedMail } from '../../mail/renewal.ts'
import { subjectOf } from '../../mail/write-mail.ts'
import { unsubscribeToken } from './choices.ts'
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
  const mails = letters.map((letter) => ({
    kind: letter.kind,
    person_id: letter.reader.id,
    language: letter.mail.language,
    is_bulk: true,
    is_broadcast: letter.isBroadcast,
    headers: JSON.stringify(headersOf(sender, letter)),
    tells: JSON.stringify(letter.tells ?? []),
    ...renderedListMail(letter.reader, letter.mail, letter),
  }))
  await write.insertInto('mails').values(mails).execute()
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
export function unsubscribeUrlOf(
  { baseUrl, secret }: Sender,
  personId: number,
  what: 'all' | 'week',
): string {
  return `${baseUrl}/unsubscribe/${unsubscribeToken(secret, { personId, what, id: 0 })}`
}
