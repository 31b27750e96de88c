import assert from 'node:assert/strict'
import type { Database } from '../../database/schema.ts'
import { SECRET } from '../../testing/app.ts'
import { rowsOf } from '../../testing/rows.ts'
import { mailDue, type NotifierOptions } from './notifier.ts'

/** Settings of a forum that writes what is new at once; what it wrote waits to be sent. */
export const MAILING: NotifierOptions = {
  ...{ baseUrl: 'https://forum.example', secret: SECRET, replyAddress: null },
  ...{ soonSeconds: 0, isSent: false },
}

const FAILS = {
  error: ({ err }: { readonly err?: unknown }) => assert.fail(`a mail could not be written: ${err}`),
}

/** Writes the mails that are due. @returns to how many people */
export const writeMails = (db: Database, options: Partial<NotifierOptions> = {}) =>
  mailDue(db, FAILS, { ...MAILING, ...options })

/** All mails that were written to somebody, in their order. */
export const mailsTo = (db: Database, { id }: { readonly id: number }) =>
  rowsOf(db, 'mails', { person_id: id })
