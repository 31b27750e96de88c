import type { Database, Language, Write } from '../database/schema.ts'

/** A mail that was not sent. */
export interface Mail {
  readonly id: number
  /** The same on each attempt. */
  readonly key: string
  readonly kind: string
  readonly personId: number | null
  readonly recipient: string
  readonly language: Language
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Beside those that every mail has. */
  readonly headers: Readonly<Record<string, string>>
  /** What its renewal looks up again. */
  readonly tells: readonly object[]
  readonly writtenAt: Date
}

/** What a mail says by now, and to which address. */
export type RenewedMail = Pick<Mail, 'recipient' | 'subject' | 'text' | 'html'>

/** Writes a mail again with the rights of this moment; null: nothing of it is left to tell. */
export type Renewal = (write: Write, mail: Mail) => Promise<RenewedMail | null>

/** By kind of mail: those that tell what others wrote, or invite. All others are sent as they were written. */
export type Renewals = Readonly<Record<string, Renewal>>

/**
 * A mail as it may be sent now. Between writing and sending lie days where the mail server is away: what is gone or hidden by then is
 * neither sent nor kept.
 * @returns 'gone': it was sent already, or deleted; 'dropped': nothing of it was left to tell, so that it is deleted
 */
export function mailToSend(
  db: Database,
  id: number,
  renewals: Renewals,
): Promise<Mail | 'gone' | { readonly dropped: string }> {
  return db.transaction().execute(async (write) => {
    const mail = await lockUnsent(write, id)
    const renew = mail === undefined ? undefined : renewals[mail.kind]
    if (mail === undefined || renew === undefined) return mail ?? 'gone'
    const renewed = await renew(write, mail)
    if (renewed === null) {
      await write.deleteFrom('mails').where('id', '=', id).execute()
      return { dropped: mail.kind }
    }
    const isSame = (Object.keys(renewed) as (keyof RenewedMail)[]).every(
      (name) => renewed[name] === mail[name],
    )
    if (!isSame) await write.updateTable('mails').set(renewed).where('id', '=', id).execute()
    return { ...mail, ...renewed }
  })
}

function lockUnsent(write: Write, id: number): Promise<Mail | undefined> {
  return write
    .selectFrom('mails')
    .select([
      'id',
      'key',
      'kind',
      'person_id as personId',
      'recipient',
      'language',
      'subject',
      'text',
      'html',
    ])
    .select(['headers', 'tells', 'written_at as writtenAt'])
    .where('id', '=', id)
    .where('sent_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}
