import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Mail, Renewal, RenewedMail } from '../../mail/renewal.ts'
import { makeReplyAddress } from '../answering-by-mail/keys.ts'
import { queuePushes } from '../pushing/send-push.ts'
import { composeNews, newsText } from './compose.ts'
import {
  type Asked,
  type Due,
  lockDue,
  markMailed,
  type News,
  newsByMail,
  type Reader,
  readersOf,
  type Told,
} from './contents.ts'
import { renderedListMail, type Sender, unsubscribeUrlOf, writeListMails } from './list-mail.ts'

export interface Mailing extends Sender {
  /** REPLY_ADDRESS; null: answers to a mail cannot be posted. */
  readonly replyAddress: string | null
}

/** The first number of the advisory lock of a person's mail; the second is the person's id. */
const LOCK = 7162

/**
 * Writes the mails of what is new of these people into the outbox, the jobs that push it, and that it is told: in one transaction,
 * each person by one process at a time.
 */
export async function writeNews(db: Database, people: readonly number[], mailing: Mailing): Promise<void> {
  await db.transaction().execute(async (write) => {
    const due = await lockDue(write, await claimed(write, people))
    const readers = await readersOf(write, people)
    const asked = due.map(({ id, since, personId }) => ({ id, since, mail: personId }))
    const news = await newsByMail(write, asked)
    const tellings = [...Map.groupBy(due, ({ personId }) => personId)].map(([personId, ofPerson]) =>
      tellingOf(personId, ofPerson, news.get(personId) ?? []),
    )
    const pushed = await queuePushes(write, tellings)
    const mailed = tellings.filter(({ personId }) => readers.has(personId))
    const isTold = ({ personId }: Telling) => readers.has(personId) || pushed.has(personId)
    await markMailed(
      write,
      due.map(({ id }) => id),
      tellings.filter(isTold).flatMap(({ ids }) => ids),
    )
    const letters = []
    for (const telling of mailed) {
      const reader = readers.get(telling.personId)
      if (reader !== undefined && telling.news.length > 0)
        letters.push(await letterOf(write, reader, telling, mailing))
    }
    await writeListMails(write, mailing, letters)
  })
}

async function claimed(write: Write, people: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...people]}::bigint[]) as one (id)
    where pg_try_advisory_xact_lock(${LOCK}, (id % ${2 ** 31}::bigint)::integer)`.execute(write)
  return rows.map(({ id }) => id)
}

export const NEWS_MAIL = 'news'
const VIEW = '/mailing/news'

type Telling = ReturnType<typeof tellingOf>

/** `ids`: of the notifications that it is about, in the order of what is new; `priority` 2: all of it is told to many. */
function tellingOf(personId: number, due: readonly Due[], news: readonly News[]) {
  const ids = [...new Set(news.map(({ id }) => id))]
  const told = due.filter(({ id }) => ids.includes(id))
  const tells = told.map(({ id, since }) => ({ id, since }))
  const priority: 0 | 2 = told.every((one) => one.priority === 2) ? 2 : 0
  return { personId, news, ids, tells, priority }
}

async function letterOf(write: Write, reader: Reader, { news, tells, priority }: Telling, mailing: Mailing) {
  const { baseUrl, replyAddress } = mailing
  const [only, ...others] = news
  const isOne = only !== undefined && others.length === 0
  const answersTo =
    isOne && only.kind === 'question' && replyAddress !== null
      ? await makeReplyAddress(write, replyAddress, reader.id, only.subjectId, answeredBy(only))
      : null
  const unsubscribeUrl = unsubscribeUrlOf(mailing, reader.id, { what: 'all' })
  const mail = composeNews(reader, news, { baseUrl, unsubscribeUrl, isAnswerable: answersTo !== null })
  return {
    ...{ reader, mail, kind: NEWS_MAIL, view: VIEW, text: newsText(mail), list: listOf(news), tells },
    isBroadcast: priority === 2,
    headers: {
      ...(isOne && threadOf(only, new URL(baseUrl).hostname)),
      ...(answersTo !== null && { 'Reply-To': answersTo }),
    },
  }
}

/**
 * Writes mails of what is new again as they are sent: without what was deleted, made private, muted or seen meanwhile, and with the
 * names that their readers may know by now.
 */
export const renewNews =
  (mailing: Mailing): Renewal =>
  async (write, mails) => {
    const people = mails.flatMap(({ personId }) => personId ?? [])
    const readers = await readersOf(write, people)
    const news = await newsByMail(write, mails.flatMap(askedOf))
    const renewed = new Map<number, RenewedMail>()
    for (const { id, personId, headers } of mails) {
      const [reader, found] = [readers.get(personId ?? 0), news.get(id)]
      if (reader === undefined || found === undefined) continue
      const mail = composeNews(reader, found, {
        baseUrl: mailing.baseUrl,
        unsubscribeUrl: unsubscribeUrlOf(mailing, reader.id, { what: 'all' }),
        isAnswerable: headers['Reply-To'] !== undefined,
      })
      renewed.set(id, renderedListMail(reader, mail, { view: VIEW, text: newsText(mail) }))
    }
    return renewed
  }

/** What a mail tells, until it was written: a post's time has milliseconds. */
function askedOf({ id: mail, tells, writtenAt }: Mail): Asked[] {
  const until = new Date(writtenAt.getTime() + 1).toISOString()
  return (tells as readonly Told[]).map(({ id, since }) => ({ id, since, until, mail }))
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
