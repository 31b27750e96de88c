import type { Database, Write } from '../../database/schema.ts'
import type { Mail, Renewal, RenewedMail } from '../../mail/renewal.ts'
import { makeReplyAddress } from '../answering-by-mail/keys.ts'
import type { Asked } from '../notifications/queries.ts'
import { type Due, markSent, takeDue } from '../telling/deliveries.ts'
import { composeNews, newsText } from './compose.ts'
import { type News, newsByMail, type Reader, readersOf } from './contents.ts'
import { renderedListMail, type Sender, writeListMails } from './list-mail.ts'

export interface Mailing extends Sender {
  /** REPLY_ADDRESS; null: answers to a mail cannot be posted. */
  readonly replyAddress: string | null
}

/**
 * Writes the mails of what is new of these people into the outbox, and that it waits no longer: in one transaction. What is not told, as
 * they get no mail or nothing of it is left to tell, isn't told later.
 */
export async function writeNews(db: Database, people: readonly number[], mailing: Mailing): Promise<void> {
  await db.transaction().execute(async (write) => {
    const due = await takeDue(write, 'email', people)
    const readers = await readersOf(write, people)
    const news = await newsByMail(write, due)
    const letters = []
    for (const [personId, ofPerson] of Map.groupBy(due, (one) => one.personId)) {
      const [reader, found] = [readers.get(personId), news.get(personId)]
      if (reader !== undefined && found !== undefined)
        letters.push(await letterOf(write, reader, ofPerson, found, mailing))
    }
    const told = letters.flatMap(({ tells }) => tells.map(({ id }) => id))
    await markSent(write, 'email', told)
    await writeListMails(write, mailing, letters)
  })
}

export const NEWS_MAIL = 'news'
const VIEW = '/mailing/news'

/** `tells`: the notifications that it is about; `isBroadcast`: all of it is told to many. */
async function letterOf(
  write: Write,
  reader: Reader,
  due: readonly Due[],
  news: readonly News[],
  mailing: Mailing,
) {
  const told = due.filter(({ id }) => news.some((one) => one.id === id))
  const { replyAddress } = mailing
  const [only, ...others] = news
  const isOne = only !== undefined && others.length === 0
  const answersTo =
    isOne && only.questionId !== null && replyAddress !== null
      ? await makeReplyAddress(write, replyAddress, reader.id, only.questionId, answeredBy(only))
      : null
  const mail = composeNews(reader, news, mailing, answersTo !== null)
  return {
    ...{ reader, mail, kind: NEWS_MAIL, view: VIEW, text: newsText(mail), list: listOf(news) },
    tells: told.map(({ id, since }) => ({ id, since })),
    isBroadcast: told.every(({ priority }) => priority === 2),
    headers: {
      ...(isOne && threadOf(only, new URL(mailing.baseUrl).hostname)),
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
      const mail = composeNews(reader, found, mailing, headers['Reply-To'] !== undefined)
      renewed.set(id, renderedListMail(reader, mail, { view: VIEW, text: newsText(mail) }))
    }
    return renewed
  }

/** What a mail tells, until it was written: a post's time has milliseconds. */
function askedOf({ id: mail, tells, writtenAt }: Mail): Asked[] {
  const until = new Date(writtenAt.getTime() + 1).toISOString()
  return (tells as readonly Asked[]).map((one) => ({ ...one, until, mail }))
}

/** The post that an answer to the mail belongs under; a question that waits too long is answered itself. */
function answeredBy({ questionId, said, posts }: News) {
  const last = posts.at(-1)
  if (last !== undefined && last.kind !== 'announcement') return { kind: last.kind, id: last.id }
  return said === 'promise' && questionId !== null ? ({ kind: 'question', id: questionId } as const) : null
}

/** Mail programs filter the mails of one course. */
function listOf(news: readonly News[]): string {
  const courses = new Set(news.map(({ courseId }) => courseId))
  return courses.size === 1 ? `course-${news[0]?.courseId}` : 'news'
}

/** Mail programs thread the mails of one question (RFC 5322, 3.6.4). */
function threadOf({ questionId, announcementId }: News, host: string): Record<string, string> {
  const subject = questionId === null ? `announcement-${announcementId}` : `question-${questionId}`
  const thread = `<${subject}@${host}>`
  return { References: thread, 'In-Reply-To': thread }
}
