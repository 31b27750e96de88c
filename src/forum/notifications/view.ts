import type { CaseReason, Reason } from '../../database/schema.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment, writtenMoment } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { announcementPath, heldPath, questionPath } from '../../web/paths.ts'
import { bylineOf, seenAuthorOf } from '../authors/byline.ts'
import { decidedSentence, measureTitle, reportedPost } from '../cases/measures.ts'
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
  const timeZone = viewer.timeZone ?? told.timeZone
  const first = told.posts.find((post) => post.reason === told.reason) ?? told.posts[0]
  const isNamed = first !== undefined && !UNNAMED.has(told.reason)
  const others = new Set(told.posts.map((post) => seenAuthorOf(viewer, post, told.courseId))).size - 1
  const bit = isNamed
    ? excerpt(await htmlOf(first), BIT_LENGTH)
    : isBundle(told)
      ? ''
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
    // Each with its outcome, where several are told together.
    reports: isBundle(told) ? told.together.map((one) => reportedView(one, t, timeZone)) : [],
    more:
      isBundle(told) && told.togetherCount > told.together.length
        ? t('notifications.reported.more', { count: told.togetherCount - told.together.length })
        : null,
    bit,
    bitLang: languageOf(bit),
    course: told.courseTitle,
    courseLang: told.courseLanguage,
    at: agedMoment(new Date(told.happenedAt), timeZone, t, now),
  }
}

/** Decisions, and the outcome of a report, have words of their own. */
function textOf(notified: Notified, t: Translate, others: number): string {
  const { reason, told, courseTitle, together, togetherCount: count } = notified
  const isUpheld = together.every(({ state, reply }) => state === 'upheld' && reply === null)
  if (isBundle(notified)) return t(`notifications.reported.many.${isUpheld ? 'upheld' : 'mixed'}`, { count })
  if (told !== null && reason === 'report') return outcomeOf(told, t)
  if (told === null || told.measure === null) return t(`notifications.told.${reason}`, { others })
  const course = courseTitle === '' ? null : courseTitle
  const title = measureTitle(t, { ...told.measure, about: told.about }, course)
  if (reason === 'objected') return t(`notifications.objected.${told.measure.outcome ?? 'keep'}`, { title })
  if (told.measure.hasEnded) return t('notifications.measure.ended', { title })
  const what = decidedSentence(t, told.measure.kind, told.about)
  return t('notifications.measure.taken', { what: `${what}${groundSaid(t, told.ground)}` })
}

/** Whether it tells the outcomes of several reports. */
const isBundle = ({ togetherCount }: Pick<Notified<unknown>, 'togetherCount'>) => togetherCount > 1

/** To who reported it: what became of the post, which everyone sees; nothing of what became of its author. */
function outcomeName({ state, about, measure, reply }: ToldCase) {
  if (reply !== null) return reply
  const kind = measure?.kind
  const isSeen = kind === 'hide' || kind === 'delete' || kind === 'private' || kind === 'close'
  return state !== 'upheld' || !isSeen || about === 'person' ? state : kind
}

const outcomeOf = (told: ToldCase, t: Translate) =>
  t(`notifications.reported.${outcomeName(told)}`, { about: told.about })

function reportedView(told: ToldCase, t: Translate, timeZone: string) {
  const title = told.question?.title ?? null
  return {
    post: reportedPost(t, told.about, title, writtenMoment(new Date(told.reportedAt ?? 0), timeZone, t).text),
    lang: title && languageOf(title),
    outcome: t(`notifications.outcome.${outcomeName(told)}`),
    path: casePathFor('report', told),
  }
}

/** The subject of a case: the post by its question's title where they may read it; otherwise the course, which who reported isn't told. */
function titleOf(notified: Notified, t: Translate): string {
  const { told, title, courseTitle, reason } = notified
  if (isBundle(notified)) return ''
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
  if (isBundle(notified)) return '/notifications'
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
