import type { Translate } from '../messages/catalogue.ts'
import { formatMoment } from '../text/dates.ts'
import { languageOf } from '../text/language.ts'
import { coursePath, pathWith, personPath, questionPath, tagPath } from '../web/paths.ts'
import type { ListedQuestion } from './list.ts'

/** A link with its words. */
export interface Link {
  readonly text: string
  readonly path: string
}

/** A moment as <time> shows it. */
export interface Moment {
  readonly iso: string
  readonly text: string
}

/** One row of a list of questions, ready to show: views/questions/_question-row.eta. */
export interface QuestionRow {
  readonly path: string
  readonly title: string
  /** For the lang attribute; null: as the page. */
  readonly lang: string | null
  readonly answersCount: number
  readonly votesCount: number
  readonly viewsCount: number
  readonly state: 'waiting' | 'solved' | 'answered'
  readonly isResolved: boolean
  readonly hasInstructorAnswer: boolean
  readonly tags: readonly { readonly name: string; readonly path: string }[]
  readonly author: Link & { readonly questionsCount: number }
  readonly writtenAt: Moment
  readonly lecture: Link | null
  /** null where all questions of the list belong to one course. */
  readonly course: Link | null
}

export interface RowOptions {
  readonly t: Translate
  /** The viewer's; null: each course's own. */
  readonly timeZone: string | null
  readonly showCourse: boolean
}

export function questionRow(question: ListedQuestion, { t, timeZone, showCourse }: RowOptions): QuestionRow {
  const course = coursePath(question.course_slug)
  return {
    path: questionPath(question),
    title: question.title,
    lang: languageOf(question.title),
    answersCount: question.answers_count,
    votesCount: question.votes_count,
    viewsCount: question.views_count,
    state: stateOf(question),
    isResolved: question.status === 'resolved',
    hasInstructorAnswer: Boolean(question.has_instructor_answer),
    tags: question.tags.map(({ name }) => ({ name, path: tagPath(name) })),
    author: {
      text: question.display_name,
      path: personPath({ id: question.author_id, displayName: question.display_name }),
      questionsCount: question.questions_count,
    },
    writtenAt: momentOf(question.written_at, timeZone ?? question.time_zone),
    lecture: lectureLink(t, question, course),
    course: showCourse ? { text: question.course_title, path: course } : null,
  }
}

export function momentOf(at: Date, timeZone: string): Moment {
  return { iso: at.toISOString(), text: formatMoment(at, timeZone) }
}

/** "Lecture 12 · Maturity levels", leading to the questions about it; null for a question about none. */
export function lectureLink(
  t: Translate,
  question: { lecture_position: number | null; lecture_title: string | null },
  course: string,
): Link | null {
  const { lecture_position: position, lecture_title: title } = question
  if (position === null || title === null) return null
  return {
    text: t('questions.lecture.named', { position, title }),
    path: pathWith(course, { lecture: position }),
  }
}

function stateOf(question: ListedQuestion): QuestionRow['state'] {
  if (question.status === 'resolved') return 'solved'
  return question.answers_count === 0 ? 'waiting' : 'answered'
}
