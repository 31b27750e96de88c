import type { Hiding } from '../../kernel/rights/visibility.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageIn } from '../../text/language.ts'
import type { Moment } from '../../text/moment.ts'
import { excerpt } from '../../text/plain.ts'
import { type QuestionState, stateOf } from '../../text/question-state.ts'
import { SHOWN_TAGS } from '../../text/tag-name.ts'
import { remembered } from '../../text/words/remembered.ts'
import type { OwnText } from '../../web/own-parts.ts'
import { coursePath, type Link, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { type Byline, bylineOf, inCourse, personByline, type Viewing } from '../authors/byline.ts'
import type { ListedQuestion } from './list.ts'

export type { QuestionState } from '../../text/question-state.ts'
export type { Link } from '../../web/paths.ts'

export interface TagLink {
  readonly name: string
  /** null: it leads nowhere, as nobody else may have it. */
  readonly path: string | null
}

/** One row of a list of questions, ready to show: views/questions/_question-row.eta. */
export interface QuestionRow {
  readonly path: string
  readonly title: string
  /** For the lang attribute; null: as the page. */
  readonly lang: string | null
  /** Of its course, for the title of its lecture. */
  readonly courseLang: 'en' | 'ko'
  /** For those who have something new in it: a class of its row, and the word for it. '' for all others. */
  readonly unread: string
  readonly unreadWord: string
  readonly answersCount: number
  readonly votesCount: number
  readonly viewsCount: number
  readonly state: QuestionState
  readonly isPrivate: boolean
  /** Why only the viewer, who asked it, and staff see it; null: it is shown. */
  readonly hiding: Hiding | null
  /** The beginning of the question, on one line; '': it begins with nothing that can be shown as text. */
  readonly excerpt: string
  readonly excerptLang: string | null
  /** Up to three who answered, staff last. */
  readonly answerers: readonly Byline[]
  /** An instructor before an assistant. */
  readonly answeredByStaff: 'instructor' | 'assistant' | null
  /** It stands above the others. */
  readonly isPinned?: boolean | undefined
  /** The first that is not pinned: where `#newest` leads. */
  readonly isNewest?: boolean
  readonly isDuplicate: boolean
  /** Staff endorsed an answer. */
  readonly isEndorsed: boolean
  /** Those that fit on the row's second line, and the others. */
  readonly tags: readonly TagLink[]
  readonly moreTags: readonly TagLink[]
  /** `questionsCount`: null where the viewer may not know who asked. */
  readonly author: Byline & { readonly questionsCount: number | null }
  readonly writtenAt: Moment
  readonly lecture: Link | null
  /** null where all questions of the list belong to one course. */
  readonly course: Link | null
}

export interface RowOptions extends Viewing {
  /** The viewer's; null: each course's own. */
  readonly timeZone: string | null
  readonly showCourse: boolean
  readonly isPinned?: boolean
  /** What the viewer has of their own in the page: web/own-parts.ts. */
  readonly own: OwnText
  /** Ages are counted from then. */
  readonly now: Date
}

const EXCERPT_LENGTH = 160
const STAFF = ['instructor', 'assistant'] as const
const excerptOf = remembered((html) => excerpt(html, EXCERPT_LENGTH))

export function questionRow(
  question: ListedQuestion,
  { t, viewer, timeZone, showCourse, own, now, isPinned }: RowOptions,
): QuestionRow {
  const named = bylineOf({ t, viewer }, question, question.course_id)
  const author = showCourse ? named : inCourse(named, question.course_slug)
  const course = coursePath(question.course_slug)
  const beginning = excerptOf(question.beginning)
  const activity = `${question.id}.${question.active_at.getTime()}.${question.course_id}.${question.author_id}`
  const isPrivate = question.audience === 'staff'
  const tags = question.tags.map(({ name }) => ({ name, path: isPrivate ? null : tagPath(name) }))
  return {
    path: questionPath(question),
    title: question.title,
    lang: languageIn(question.language, question.title),
    courseLang: question.language,
    unread: own(`unread.${activity}`),
    unreadWord: own(`unread-word.${activity}`),
    answersCount: question.answers_count,
    votesCount: question.votes_count,
    viewsCount: question.views_count,
    state: stateOf(question),
    isPrivate,
    hiding: question.hiding,
    excerpt: beginning,
    excerptLang: languageIn(question.language, beginning),
    answerers: question.answerers.map(({ id, display_name, role }) =>
      personByline({ id, displayName: display_name, role }),
    ),
    answeredByStaff: STAFF.find((one) => question.answerers.some(({ role }) => role === one)) ?? null,
    isPinned,
    isDuplicate: question.is_duplicate,
    isEndorsed: question.is_endorsed,
    tags: tags.slice(0, SHOWN_TAGS),
    moreTags: tags.slice(SHOWN_TAGS),
    author: { ...author, questionsCount: author.path === null ? null : question.questions_count },
    writtenAt: agedMoment(question.written_at, timeZone ?? question.time_zone, t, now),
    lecture: lectureLink(t, question, course),
    course: showCourse ? { text: question.course_title, path: course } : null,
  }
}

/** The lecture of a question, as "12 · Maturity levels", leading to the questions about it; null for a question about none. */
function lectureLink(
  t: Translate,
  question: { lecture_position: number | null; lecture_title: string | null },
  course: string,
): Link | null {
  const { lecture_position: position, lecture_title: title } = question
  if (position === null || title === null) return null
  return {
    text: t('questions.lecture.option', { position, title }),
    path: pathWith(course, { lecture: position }),
  }
}
