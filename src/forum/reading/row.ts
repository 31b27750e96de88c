import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageIn } from '../../text/language.ts'
import { excerpt } from '../../text/plain.ts'
import { stateOf } from '../../text/question-state.ts'
import { SHOWN_TAGS } from '../../text/tag-name.ts'
import { remembered } from '../../text/words/remembered.ts'
import type { OwnText } from '../../web/own-parts.ts'
import { coursePath, pathWith, questionPath, tagPath } from '../../web/paths.ts'
import { badgeOf, bylineOf, inCourse, personByline, type Viewing } from '../authors/byline.ts'
import type { ListedQuestion } from './list.ts'

export type QuestionRow = ReturnType<typeof questionRow>

export interface RowOptions extends Viewing {
  /** The viewer's; null: each course's own. */
  readonly timeZone: string | null
  readonly showCourse: boolean
  /** What the viewer has of their own in the page: web/own-parts.ts. */
  readonly own: OwnText
  /** Staff select it among others. */
  readonly isSelectable?: boolean
  /** Ages are counted from then. */
  readonly now: Date
}

const EXCERPT_LENGTH = 160
const STAFF = ['instructor', 'assistant'] as const
const excerptOf = remembered((html) => excerpt(html, EXCERPT_LENGTH))

/** One row of a list of questions, ready to show: views/questions/_question-row.eta. */
export function questionRow(
  question: ListedQuestion,
  { t, viewer, timeZone, showCourse, own, now, isSelectable = false }: RowOptions,
) {
  const named = bylineOf({ t, viewer }, question, question.course_id)
  const author = showCourse ? named : inCourse(named, question.course_slug)
  const course = coursePath(question.course_slug)
  const beginning = excerptOf(question.beginning)
  const activeAt = question.is_untouched ? 0 : question.active_at.getTime()
  const activity = `${question.id}.${activeAt}.${question.course_id}.${question.author_id}`
  const isPrivate = question.audience === 'staff'
  // Nobody else may have the tags of a private question: they lead nowhere.
  const tags = question.tags.map(({ name }) => ({ name, path: isPrivate ? null : tagPath(name) }))
  return {
    // null: it isn't selected.
    selectId: isSelectable ? question.id : null,
    path: questionPath(question),
    title: question.title,
    lang: languageIn(question.language, question.title),
    courseLang: question.language,
    // For those who have something new in it: a class of its row, and the word for it. '' for all others.
    unread: own(`unread.${activity}`),
    unreadWord: own(`unread-word.${activity}`),
    answersCount: question.answers_count,
    votesCount: question.votes_count,
    viewsCount: question.views_count,
    state: stateOf(question),
    isPrivate,
    // Why only the viewer, who asked it, and staff see it; null: it is shown.
    hiding: question.hiding,
    excerpt: beginning,
    excerptLang: languageIn(question.language, beginning),
    answerers: question.answerers.map(({ id, display_name, role }) =>
      personByline({ id, displayName: display_name, role }),
    ),
    answeredByStaff: STAFF.find((one) => question.answerers.some(({ role }) => role === one)) ?? null,
    isDuplicate: question.is_duplicate,
    isEndorsed: question.is_endorsed,
    tags: tags.slice(0, SHOWN_TAGS),
    moreTags: tags.slice(SHOWN_TAGS),
    // null where the viewer may not know who asked.
    badge: badgeOf(named, question),
    author: { ...author, questionsCount: author.path === null ? null : question.questions_count },
    writtenAt: agedMoment(question.written_at, timeZone ?? question.time_zone, t, now),
    lecture: lectureLink(t, question, course),
    course: showCourse ? { text: question.course_title, path: course } : null,
  }
}

/** The lecture of a question, as "12 · Maturity levels", leading to the questions about it; null for a question about none. */
function lectureLink(t: Translate, question: ListedQuestion, course: string) {
  const { lecture_position: position, lecture_title: title } = question
  if (position === null || title === null) return null
  const text = t('questions.lecture.option', { position, title })
  return { text, path: pathWith(course, { lecture: position }) }
}
