import type { CaseReason, Reason } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { announcementPath, heldPath, questionPath } from '../../web/paths.ts'
import { bylineOf, seenAuthorOf } from '../authors/byline.ts'
import { decidedSentence, measureTitle } from '../cases/measures.ts'
import { groundSaid } from '../handling/decided-posts.ts'
import { SAID_REASONS } from '../telling/fresh.ts'
import type { Notified, ToldCase, ToldPost } from './queries.ts'

/** Something told, ready to show: views/notifications/_row.eta. */
export type NotificationView = Awaited<ReturnType<typeof notificationView>>

const BIT_LENGTH = 140
const UNNAMED: ReadonlySet<Reason | CaseReason> = new Set(SAID_REASONS)

/**
 * @returns `path`: what it is about, at the first post that came; `byline`: who did it; `text`: what happened, after the name:
 * 'answered', 'and 2 others replied to you in'
 */
export async function notificationView(
  told: Notified,
  { t, viewer, now }: { readonly t: Translate; readonly viewer: Person; readonly now: Date },
) {
  const first = told.posts.find((post) => post.reason === told.reason) ?? told.posts[0]
  const isNamed = first !== undefined && !UNNAMED.has(told.reason)
  const others = new Set(told.posts.map((post) => seenAuthorOf(viewer, post, told.courseId))).size - 1
  const bit = isNamed
    ? excerpt(await htmlOf(first), BIT_LENGTH)
    : (told.told?.note ?? '').slice(0, BIT_LENGTH)
  const title = titleOf(told, t)
  return {
    path: notificationPath(told),
    openingPath: `/notifications/${told.id}/opening`,
    isSeen: told.isSeen,
    // No page that it leads to marks it as seen.
    isOfCase: told.told !== null,
    byline: isNamed ? bylineOf({ t, viewer }, first, told.courseId) : null,
    text: textOf(told, t, isNamed ? others : Math.max(0, (told.waitingCount ?? 1) - 1)),
    title,
    lang: languageOf(title),
    bit,
    bitLang: languageOf(bit),
    course: told.courseTitle,
    courseLang: told.courseLanguage,
    at: agedMoment(new Date(told.happenedAt), viewer.timeZone ?? told.timeZone, t, now),
  }
}

/** Decisions, and the outcome of a report, have words of their own. */
function textOf({ reason, told, courseTitle }: Notified, t: Translate, others: number): string {
  if (told !== null && reason === 'report') return outcomeOf(told, t)
  if (told === null || told.measure === null) return t(`notifications.told.${reason}`, { others })
  const course = courseTitle === '' ? null : courseTitle
  const title = measureTitle(t, { ...told.measure, about: told.about }, course)
  if (reason === 'objected') return t(`notifications.objected.${told.measure.outcome ?? 'keep'}`, { title })
  if (told.measure.hasEnded) return t('notifications.measure.ended', { title })
  const what = decidedSentence(t, told.measure.kind, told.about)
  return t('notifications.measure.taken', { what: `${what}${groundSaid(t, told.ground)}` })
}

/** To who reported it: what became of the post, which everyone sees; nothing of what became of its author. */
function outcomeOf({ state, about, measure, reply }: ToldCase, t: Translate): string {
  if (reply !== null) return t(`notifications.reported.reply.${reply}`)
  const kind = measure?.kind
  const isSeen = kind === 'hide' || kind === 'delete' || kind === 'private' || kind === 'close'
  if (state !== 'upheld' || !isSeen || about === 'person') return t(`notifications.reported.${state}`)
  return t(`notifications.reported.${kind}`, { about })
}

/** The subject of a case: the post by its question's title where they may read it; otherwise the course, which who reported isn't told. */
function titleOf({ told, title, courseTitle, reason }: Notified, t: Translate): string {
  if (told === null) return reason === 'held' ? courseTitle : title
  if (told.question !== null) return told.question.title
  if (reason === 'report') return t('notifications.reportedPost', { about: told.about })
  return title === '' ? t('notifications.forum') : title
}

function casePathFor(reason: Reason | CaseReason, { id, report, measure }: ToldCase): string {
  if (reason === 'case' || reason === 'objection') return `/cases/${id}`
  if (reason !== 'report') return `/settings/standing${measure === null ? '' : `#measure-${measure.id}`}`
  return report === null ? '/notifications' : `/reports/${report}`
}

/** The page of a question or an announcement, or what waits to be let through. */
export function subjectPath({
  questionId,
  announcementId,
  title,
  said,
  courseSlug,
}: Notified<unknown>): string {
  if (said === 'held') return heldPath(courseSlug)
  if (announcementId !== null) return announcementPath({ id: announcementId, title })
  return questionPath({ id: questionId ?? 0, title })
}

/** What it is about, at the first post that came. */
export function notificationPath(notified: Notified): string {
  const { reason, told, posts } = notified
  if (told !== null) return casePathFor(reason, told)
  const [first] = posts
  const isPost = first !== undefined && first.kind !== 'question' && first.kind !== 'announcement'
  return `${subjectPath(notified)}${isPost ? `#${first.kind}-${first.id}` : ''}`
}

async function htmlOf({ kind, text }: ToldPost): Promise<string> {
  if (kind !== 'announcement') return text
  const [{ html }] = await prepareMarkdown([text])
  return html
}
