import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Renewal } from '../../mail/renewal.ts'
import { makeReplyAddress } from '../answering-by-mail/keys.ts'
import { queuePushes } from '../pushing/send-push.ts'
import { composeNews, newsText } from './compose.ts'
import {
  announcementsOf,
  lockDue,
  markMailed,
  type News,
  newsOf,
  type Reader,
  readerOf,
  type Told,
} from './contents.ts'
import { renderedListMail, type Sender, unsubscribeUrlOf, writeListMail } from './list-mail.ts'

export interface Mailing extends Sender {
  /** REPLY_ADDRESS; null: answers to a mail cannot be posted. */
  readonly replyAddress: string | null
}

/** The first number of the advisory lock of a person's mail; the second is the person's id. */
const LOCK = 7162

/**
 * Writes a person's mail of what is new into the outbox, the jobs that push it, and that it is told: in one transaction, of one
 * process at a time.
 * @returns whether there was anything to mail
 */
export async function writeNews(db: Database, personId: number, mailing: Mailing): Promise<boolean> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}, ${personId % 2 ** 31}::integer) as "isOurs"`.execute(write)
    if (rows[0]?.isOurs !== true) return false
    const due = await lockDue(write, personId)
    const reader = await readerOf(write, personId)
    const news = [...(await announcementsOf(write, due)), ...(await newsOf(write, due))]
    const found = new Set(news.map(({ id }) => id))
    const told = due.filter(({ id }) => found.has(id))
    const isBroadcast = told.every(({ priority }) => priority === 2)
    const isPushed = await queuePushes(write, personId, [...found], isBroadcast ? 2 : 0)
    await markMailed(
      write,
      due.map(({ id }) => id),
      reader === null && !isPushed ? [] : [...found],
    )
    if (reader === null || news.length === 0) return false
    const tells = told.map(({ id, since }) => ({ id, since }))
    await addToOutbox(write, reader, { news, tells, isBroadcast }, mailing)
    return true
  })
}

export const NEWS_MAIL = 'news'
const VIEW = '/mailing/news'

interface Contents {
  readonly news: readonly News[]
  readonly tells: readonly Told[]
  readonly isBroadcast: boolean
}

async function addToOutbox(
  write: Write,
  reader: Reader,
  { news, tells, isBroadcast }: Contents,
  mailing: Mailing,
) {
  const { baseUrl, replyAddress } = mailing
  const [only, ...others] = news
  const isOne = only !== undefined && others.length === 0
  const answersTo =
    isOne && only.kind === 'question' && replyAddress !== null
      ? await makeReplyAddress(write, replyAddress, reader.id, only.subjectId, answeredBy(only))
      : null
  const unsubscribeUrl = unsubscribeUrlOf(mailing, reader.id, { what: 'all' })
  const mail = composeNews(reader, news, { baseUrl, unsubscribeUrl, isAnswerable: answersTo !== null })
  await writeListMail(write, reader, mailing, mail, {
    kind: NEWS_MAIL,
    view: VIEW,
    text: newsText(mail),
    list: listOf(news),
    ...{ tells, isBroadcast },
    headers: {
      ...(isOne && threadOf(only, new URL(baseUrl).hostname)),
      ...(answersTo !== null && { 'Reply-To': answersTo }),
    },
  })
}

/**
 * Writes a mail of what is new again as it is sent: without what was deleted, made private, muted or seen meanwhile, and with the
 * names that its reader may know by now.
 */
export const renewNews =
  (mailing: Mailing): Renewal =>
  async (write, { id, personId, headers, tells }) => {
    const reader = personId === null ? null : await readerOf(write, personId)
    if (reader === null) return null
    const told = tells as readonly Told[]
    // A post's time has milliseconds.
    const until = sql`(select written_at + interval '1 millisecond' from mails where id = ${id})`
    const news = [...(await announcementsOf(write, told)), ...(await newsOf(write, told, until))]
    if (news.length === 0) return null
    const mail = composeNews(reader, news, {
      baseUrl: mailing.baseUrl,
      unsubscribeUrl: unsubscribeUrlOf(mailing, reader.id, { what: 'all' }),
      isAnswerable: headers['Reply-To'] !== undefined,
    })
    return renderedListMail(reader, mail, { view: VIEW, text: newsText(mail) })
  }

/** The post that an answer to the mail belongs under; a question that waits too long is answered itself. */
function answeredBy({ subjectId, said, posts }: News) {
  const last = posts.at(-1)
  if (last !== undefined && last.kind !== 'announcement') return { kind: last.kind, id: last.id }
  return said === 'promise' ? ({ kind: 'question', id: subjectId } as const) : null
}

/** Mail programs filter the mails of one course. */
function listOf(news: readonly News[]): string {
  const courses = new Set(news.map(({ courseId }) => courseId))
  return courses.size === 1 ? `course-${news[0]?.courseId}` : 'news'
}

/** Mail programs thread the mails of one question (RFC 5322, 3.6.4). */
function threadOf({ kind, subjectId }: News, host: string): Record<string, string> {
  const thread = `<${kind}-${subjectId}@${host}>`
  return { References: thread, 'In-Reply-To': thread }
}
