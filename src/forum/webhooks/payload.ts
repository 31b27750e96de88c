import type { Language, Write } from '../../database/schema.ts'
import { type Actor, may, type RuledCourse } from '../../kernel/rights/rights.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { announcementPath, answerPath, questionPath } from '../../web/paths.ts'
import { findAnnouncement } from '../announcements/announcement.ts'
import { findPlace, type Post, questionOf } from '../posts/find.ts'
import { KINDS, type PostKey } from '../posts/kinds.ts'
import { answerRecords, replyRecords } from '../posts/records.ts'
import { authorItem } from '../reading/post-resource.ts'
import { findQuestionRecord } from '../reading/records.ts'

/** Characters of a post that are told: so a message stays far below 20 kB. */
export const EXCERPT = 300

/** What happened, with its course. Null: it isn't about such a thing. */
export interface ToldEvent {
  readonly type: string
  readonly happenedAt: Date
  readonly questionId: number | null
  readonly answerId: number | null
  readonly replyId: number | null
  readonly announcementId: number | null
  readonly course: RuledCourse & { readonly slug: string; readonly language: Language }
}

/** As whom a webhook reads, and what of it is told. */
export interface Telling {
  readonly owner: Actor
  /** Names behind stand-ins. */
  readonly withNames: boolean
  /** Private posts. */
  readonly withPrivate: boolean
  readonly baseUrl: string
}

/** A message to a program. */
export interface Payload {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What a program is told of an event, as its owner may read it now; null: nothing any more. */
export async function payloadOf(write: Write, telling: Telling, event: ToldEvent): Promise<Payload | null> {
  const data = await dataOf(write, telling, event)
  return data && payload(event.type, event.happenedAt, { course: event.course.slug, ...data })
}

export function payload(type: string, at: Date, data: Payload['data']): Payload {
  return { type, timestamp: at.toISOString(), data }
}

async function dataOf(write: Write, telling: Telling, event: ToldEvent) {
  const { type, questionId, answerId, replyId, announcementId } = event
  const ids = { question: questionId, answer: answerId, reply: replyId, announcement: announcementId }
  // What is gone has its id and nothing else.
  if (type.endsWith('.removed'))
    return Object.fromEntries(
      Object.entries(ids).flatMap(([name, id]) => (id === null ? [] : [[name, { id }]])),
    )
  if (announcementId !== null) return announcementData(write, telling, announcementId)
  if (replyId !== null) return postData(write, telling, event, { table: 'replies', id: replyId })
  if (answerId !== null) return postData(write, telling, event, { table: 'answers', id: answerId })
  if (questionId !== null) return postData(write, telling, event, { table: 'questions', id: questionId })
  return {}
}

async function announcementData(write: Write, { baseUrl }: Telling, id: number) {
  const news = await findAnnouncement(write, id)
  if (news === undefined) return null
  const [{ html }] = await prepareMarkdown([news.body])
  return {
    announcement: {
      ...{ id, url: baseUrl + announcementPath(news), title: news.title },
      author: { id: news.author_id, name: news.display_name, role: news.role },
      excerpt: excerpt(html, EXCERPT),
    },
  }
}

async function postData(write: Write, telling: Telling, event: ToldEvent, key: PostKey) {
  const place = await findPlace(write, key)
  const record = isTold(place, telling, event) ? await recordOf(write, telling.owner, key) : undefined
  if (record === undefined) return null
  const { baseUrl, owner, withNames } = telling
  const question = questionOf(place)
  const asked = { id: question.id, url: baseUrl + questionPath(question), title: question.title }
  const t = translatorOf(event.course.language)
  const post = {
    ...(key.table === 'questions'
      ? asked
      : { id: key.id, url: baseUrl + KINDS[key.table].path(question, key.id) }),
    author: authorItem({ t, viewer: withNames ? owner : null }, record),
    excerpt: excerpt(record.body_html, EXCERPT),
  }
  const { answerId } = event
  const under =
    key.table === 'replies' && answerId !== null
      ? { answer: { id: answerId, url: baseUrl + answerPath(question, answerId) } }
      : {}
  return { question: asked, ...under, [KINDS[key.table].kind]: post }
}

/** What is deleted, held back or hidden is told to no one, nor is what stands below; what was moved is told of the other course. */
function isTold(place: Post, { owner, withPrivate }: Telling, { course }: ToldEvent): boolean {
  const isGone = place.isDeleted || place.isOrphan || place.isBuried || place.isPurged
  const isOpen = place.audience === 'course' || withPrivate
  const isThere = !isGone && place.hiddenAuthors.length === 0 && place.courseId === course.id
  return isThere && isOpen && may(owner, 'read', place)
}

function recordOf(write: Write, owner: Actor, { table, id }: PostKey) {
  if (table === 'questions') return findQuestionRecord(write, owner, id)
  return (table === 'answers' ? answerRecords : replyRecords).find(write, owner, id)
}
