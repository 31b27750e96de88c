import { join } from 'node:path'
import { Eta } from 'eta'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { makeReplyAddress } from '../answering-by-mail/keys.ts'
import { queuePushes } from '../pushing/send-push.ts'
import { composeNews, newsText } from './compose.ts'
import { announcementsOf, lockDue, markMailed, type News, newsOf, type Reader, readerOf } from './contents.ts'
import { unsubscribeToken } from './scope.ts'

export interface Mailing {
  /** BASE_URL. */
  readonly baseUrl: string
  /** Signs the links that end mail. */
  readonly secret: string
  /** REPLY_ADDRESS; null: answers to a mail cannot be posted. */
  readonly replyAddress: string | null
}

const eta = new Eta({ views: join(import.meta.dirname, '../../../views'), cache: true })
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
    const ids = await lockDue(write, personId)
    const reader = await readerOf(write, personId)
    const news =
      ids.length === 0 ? [] : [...(await announcementsOf(write, ids)), ...(await newsOf(write, ids))]
    const found = news.map(({ id }) => id)
    await queuePushes(write, personId, found)
    await markMailed(write, ids, reader === null ? [] : found)
    if (reader === null || news.length === 0) return false
    await addToOutbox(write, reader, news, mailing)
    return true
  })
}

async function addToOutbox(write: Write, reader: Reader, news: readonly News[], mailing: Mailing) {
  const { baseUrl, secret, replyAddress } = mailing
  const token = unsubscribeToken(secret, { personId: reader.id, scope: { what: 'all' } })
  const unsubscribeUrl = `${baseUrl}/unsubscribe/${token}`
  const [only, ...others] = news
  const isOne = only !== undefined && others.length === 0
  const answersTo =
    isOne && only.kind === 'question' && replyAddress !== null
      ? await makeReplyAddress(write, replyAddress, reader.id, only.subjectId, answeredBy(only))
      : null
  const mail = composeNews(reader, news, { baseUrl, unsubscribeUrl, isAnswerable: answersTo !== null })
  const subject = [...mail.subject.replace(/\p{Cc}+/gu, ' ')].slice(0, 200).join('')
  const headers = {
    ...headersOf(news, new URL(baseUrl).hostname),
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    ...(answersTo !== null && { 'Reply-To': answersTo }),
  }
  await write
    .insertInto('mails')
    .values({
      kind: 'news',
      recipient: reader.email,
      person_id: reader.id,
      language: mail.language,
      subject,
      text: newsText(mail),
      html: eta.render('/mailing/news', { ...mail, subject }),
      is_bulk: true,
      headers: JSON.stringify(headers),
    })
    .execute()
}

/** The post that an answer to the mail belongs under; a question that waits too long is answered itself. */
function answeredBy({ subjectId, said, posts }: News) {
  const last = posts.at(-1)
  if (last !== undefined && last.kind !== 'announcement') return { kind: last.kind, id: last.id }
  return said === 'promise' ? ({ kind: 'question', id: subjectId } as const) : null
}

/** Mail programs thread mails of one question, and filter those of one course (RFC 5322, 3.6.4; RFC 2919). */
function headersOf(news: readonly News[], host: string): Record<string, string> {
  const [only, ...others] = news
  const courses = new Set(news.map(({ courseId }) => courseId))
  const list = courses.size === 1 ? `course-${only?.courseId}` : 'news'
  const thread = `<${only?.kind}-${only?.subjectId}@${host}>`
  return {
    'List-Id': `<${list}.${host}>`,
    Precedence: 'list',
    ...(others.length === 0 && { References: thread, 'In-Reply-To': thread }),
  }
}
