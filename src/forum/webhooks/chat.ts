import { sql } from 'kysely'
import type { Language, Write } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { excerpt } from '../../text/plain.ts'
import { coursePath, deskPath } from '../../web/paths.ts'
import { bylineOf } from '../authors/byline.ts'
import { type QuestionRecord, questionRecordsOf } from '../reading/records.ts'
import { EXCERPT, type ToldEvent } from './payload.ts'
import { coursesOfWebhook, lateQuestions } from './planning.ts'

/** What a chat is told, in its course's language and as plain text: chat-formats.ts makes a message of it. */
export interface ChatMessage {
  readonly heading: string
  /** The course's title, or the forum's name. */
  readonly place: string
  readonly questions: readonly ChatQuestion[]
  /** Lines of a summary. */
  readonly lines: readonly string[]
  readonly link: { readonly text: string; readonly url: string }
}

interface ChatQuestion {
  readonly title: string
  readonly url: string
  /** null: in a list of several. */
  readonly more: { readonly author: string; readonly excerpt: string } | null
}

export interface ChatPlace {
  readonly webhookId: number
  /** null: the whole forum. */
  readonly course: { readonly slug: string; readonly title: string } | null
  readonly language: Language
  readonly baseUrl: string
}

/** More questions of one message are counted. */
const MAX_LISTED = 10

/** Questions that were asked, as classmates see them: `told` are the ids of those that still are there for them. */
export async function newQuestions(write: Write, place: ChatPlace, events: readonly ToldEvent[]) {
  const courseOf = new Map(events.map(({ questionId, course }) => [questionId, course]))
  const reader = aClassmate(events.map(({ course }) => course.id))
  const ids = [...courseOf.keys()].filter((id) => id !== null)
  const records = await questionRecordsOf(write, reader, ids)
  const asked = records.filter(({ id, course_id }) => courseOf.get(id)?.id === course_id)
  return { told: asked.map(({ id }) => id), message: messageOf(place, 'new', asked, asked.length) }
}

/** What waits for longer than its course promises, and was not told before; null: nothing. */
export async function newlyLate(write: Write, place: ChatPlace): Promise<ChatMessage | null> {
  const { rows } = await sql<{ id: number; courseId: number; count: number }>`
    select late.* from webhooks as webhook cross join lateral (
      select q.id, q.course_id as "courseId", count(*) over ()::integer as count from ${lateQuestions}
      order by desk.waiting_since, q.id limit ${MAX_LISTED}) as late
    where webhook.id = ${place.webhookId}`.execute(write)
  const reader = aClassmate(rows.map(({ courseId }) => courseId))
  const records = await questionRecordsOf(
    write,
    reader,
    rows.map(({ id }) => id),
  )
  return messageOf(place, 'late', records, rows[0]?.count ?? 0)
}

/** How many questions came in a day and how many wait, of those that everyone in the course reads; null: none. */
export async function dailySummary(write: Write, place: ChatPlace): Promise<ChatMessage | null> {
  const { rows } = await sql<Record<'asked' | 'waiting' | 'late', number>>`
    select
      (select count(*)::integer from courses as course join questions as q on q.course_id = course.id
        where ${coursesOfWebhook} and q.is_listed and q.written_at > now() - interval '1 day') as asked,
      count(desk.question_id)::integer as waiting,
      count(*) filter (where desk.waiting_since <= now() - course.promise_hours * interval '1 hour')::integer as late
    from webhooks as webhook
    left join courses as course on ${coursesOfWebhook}
    left join question_desk as desk on desk.course_id = course.id and desk.waiting_since is not null
      and coalesce(desk.snoozed_until, '-infinity') <= now()
      and exists (select from questions as q where q.id = desk.question_id and q.is_listed)
    where webhook.id = ${place.webhookId} group by webhook.id, webhook.course_id`.execute(write)
  const { asked, waiting, late } = rows[0] ?? { asked: 0, waiting: 0, late: 0 }
  if (asked === 0 && waiting === 0) return null
  const t = translatorOf(place.language)
  const lines = [t('chat.daily.asked', { count: asked }), t('chat.daily.waiting', { count: waiting })]
  if (late > 0) lines.push(t('chat.daily.late', { count: late }))
  return { ...framed(t, place, deskPath), heading: t('chat.daily'), lines }
}

export function testMessage(place: ChatPlace): ChatMessage {
  const t = translatorOf(place.language)
  return { ...framed(t, place, coursePath), heading: t('chat.test'), lines: [t('chat.test.text')] }
}

/** No one in particular, who is in these courses. */
function aClassmate(courseIds: readonly number[]): Actor {
  return { id: 0, isAdmin: false, roles: Object.fromEntries(courseIds.map((id) => [id, 'learner'])) }
}

/** @param count of which `records` are the first */
function messageOf(
  place: ChatPlace,
  what: 'new' | 'late',
  records: readonly QuestionRecord[],
  count: number,
): ChatMessage | null {
  const [first] = records
  if (first === undefined) return null
  const t = translatorOf(place.language)
  const questions = records.slice(0, MAX_LISTED).map((record) => ({
    title: record.title,
    // Short, and leads to the right one.
    url: `${place.baseUrl}/questions/${record.id}`,
    more: count > 1 ? null : { author: authorOf(t, record), excerpt: excerpt(record.body_html, EXCERPT) },
  }))
  const left = count - questions.length
  const lines = left > 0 ? [t('chat.more', { count: left })] : []
  const frame = framed(t, place, what === 'new' ? coursePath : deskPath)
  const heading = what === 'new' ? t('chat.new', { count }) : t('chat.late', { count })
  return { ...frame, heading, questions, lines }
}

/** As classmates see them. */
function authorOf(t: Translate, record: QuestionRecord): string {
  return bylineOf({ t, viewer: null }, record, record.course_id).text
}

/** @param pathOf where its button leads, in a course */
function framed(t: Translate, { course, baseUrl }: ChatPlace, pathOf: (slug: string) => string) {
  const path = course === null ? '/questions' : pathOf(course.slug)
  return {
    ...{ place: course?.title ?? 'Handup', questions: [], lines: [] },
    link: { text: t('chat.open'), url: baseUrl + path },
  }
}
