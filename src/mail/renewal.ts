import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'

/**
 * A mail that was not sent. `key` is the same on each attempt; `tells` is what its renewal looks up again.
 */
export type Mail = Awaited<ReturnType<typeof lockUnsent>>[number]

/** What a mail says by now. */
export type RenewedMail = Pick<Mail, 'recipient' | 'subject' | 'text' | 'html'>

/** Writes mails again with the rights of this moment, by their ids: one that is not among them has nothing left to tell. */
export type Renewal = (write: Write, mails: readonly Mail[]) => Promise<ReadonlyMap<number, RenewedMail>>

/** A renewal of one mail after the other. @param renew null: nothing of it is left to tell */
export function renewEach(renew: (write: Write, mail: Mail) => Promise<RenewedMail | null>): Renewal {
  return async (write, mails) => {
    const renewed = new Map<number, RenewedMail>()
    for (const mail of mails) {
      const again = await renew(write, mail)
      if (again !== null) renewed.set(mail.id, again)
    }
    return renewed
  }
}

/** By kind of mail: those that tell what others wrote, or invite. All others are sent as they were written. */
export type Renewals = Readonly<Record<string, Renewal>>

/** A mail as it may be sent now; 'dropped': nothing of it was left to tell, so that it is deleted. */
export type MailToSend = Mail | { readonly dropped: string }

/**
 * Mails by their ids: one that is not among them was sent already, or deleted. The mail server may have been
 * away for days: what is gone or hidden by now is neither sent nor kept.
 */
export function mailsToSend(
  db: Database,
  ids: readonly number[],
  renewals: Renewals,
): Promise<ReadonlyMap<number, MailToSend>> {
  return db.transaction().execute(async (write) => {
    const found = new Map<number, MailToSend>()
    for (const [kind, mails] of Map.groupBy(await lockUnsent(write, ids), (mail) => mail.kind)) {
      const renewed = await renewals[kind]?.(write, mails)
      for (const mail of mails)
        found.set(mail.id, renewed === undefined ? mail : await keep(write, mail, renewed.get(mail.id)))
    }
    return found
  })
}

async function keep(write: Write, mail: Mail, renewed: RenewedMail | undefined): Promise<MailToSend> {
  const { id, kind } = mail
  if (renewed === undefined) {
    await write.deleteFrom('mails').where('id', '=', id).execute()
    return { dropped: kind }
  }
  const names = Object.keys(renewed) as (keyof RenewedMail)[]
  if (names.some((name) => renewed[name] !== mail[name]))
    await write.updateTable('mails').set(renewed).where('id', '=', id).execute()
  return { ...mail, ...renewed }
}

function lockUnsent(write: Write, ids: readonly number[]) {
  return write
    .selectFrom('mails')
    .select(['id', 'key', 'kind', 'person_id as personId', 'recipient', 'language', 'subject'])
    .select(['text', 'html', 'headers', 'tells', 'written_at as writtenAt'])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where('sent_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
}
