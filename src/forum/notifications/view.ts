import type { Reason } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { Person } from '../../rights/person.ts'
import { languageOf } from '../../text/language.ts'
import { renderMarkdown } from '../../text/markdown.ts'
import { ageOf, type Moment, momentOf } from '../../text/moment.ts'
import { excerpt } from '../../text/plain.ts'
import { type Byline, bylineOf, seenAuthorOf } from '../authors/byline.ts'
import type { ListedNotification, ToldPost } from './queries.ts'

/** Something told, ready to show: views/notifications/_row.eta. */
export interface NotificationView {
  /** Where opening it is posted. */
  readonly openingPath: string
  readonly isSeen: boolean
  /** Who did it; null where nobody is named. */
  readonly byline: Byline | null
  /** What happened, after the name: 'answered', 'and 2 others replied to you in'. */
  readonly text: string
  readonly title: string
  readonly lang: string | null
  /** The beginning of the first post. */
  readonly bit: string
  readonly bitLang: string | null
  readonly course: string
  readonly courseLang: string
  readonly at: Moment
}

interface Look {
  readonly t: Translate
  readonly viewer: Person
  readonly now: Date
}

const BIT_LENGTH = 140
/** What is told without who did it. */
const UNNAMED: ReadonlySet<Reason> = new Set(['accepted', 'endorsed', 'clarification', 'promise'])

export function notificationView(told: ListedNotification, { t, viewer, now }: Look): NotificationView {
  const first = told.posts.find((post) => post.reason === told.reason) ?? told.posts[0]
  const isNamed = first !== undefined && !UNNAMED.has(told.reason)
  const others = new Set(told.posts.map((post) => seenAuthorOf(viewer, post, told.courseId))).size - 1
  const bit = isNamed ? excerpt(htmlOf(first), BIT_LENGTH) : ''
  return {
    openingPath: `/notifications/${told.id}/opening`,
    isSeen: told.isSeen,
    byline: isNamed ? bylineOf({ t, viewer }, first, told.courseId) : null,
    text: t(`notifications.told.${told.reason}`, {
      others: isNamed ? others : Math.max(0, (told.overdueCount ?? 1) - 1),
    }),
    title: told.title,
    lang: languageOf(told.title),
    bit,
    bitLang: languageOf(bit),
    course: told.courseTitle,
    courseLang: told.courseLanguage,
    at: momentFor(new Date(told.happenedAt), viewer.timeZone ?? told.timeZone, t, now),
  }
}

function htmlOf({ kind, text }: ToldPost): string {
  return kind === 'announcement' ? renderMarkdown(text) : text
}

/** Relative under seven days. */
function momentFor(at: Date, timeZone: string, t: Translate, now: Date): Moment {
  const age = ageOf(at, now)
  const moment = momentOf(at, timeZone)
  return age === null ? moment : { ...moment, text: t(`time.${age.unit}`, { count: age.count }) }
}
