import type { Language, Role } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import type { Moment } from '../../text/moment.ts'
import { excerpt } from '../../text/plain.ts'
import type { PageLinks } from '../../web/pages.ts'
import { answerPath, coursePath, tagPath } from '../../web/paths.ts'
import type { Byline } from '../authors/byline.ts'
import type { PersonActs } from '../cases/person-acts.ts'
import type { Link } from '../questions/row.ts'
import type { BestAnswer } from './numbers.ts'
import type { Profile, WrittenAnswer } from './queries.ts'

/** Everything a profile shows: one of the two lists, as `shown` says; the other is empty. */
export interface ProfilePage extends PageLinks {
  readonly displayName: string
  readonly byline: Byline
  readonly joinedAt: { readonly iso: string; readonly text: string }
  readonly questionsCount: number
  readonly answersCount: number
  /** Of answers: marked by the asker, and by staff. */
  readonly acceptedCount: number
  readonly endorsedCount: number
  /** On questions and answers. */
  readonly votesCount: number
  /** What the answers are about, most first. */
  readonly tags: readonly AnsweredTagView[]
  /** null: no answer was found good yet. */
  readonly best: BestAnswerView | null
  readonly roles: readonly ProfileRole[]
  readonly shown: 'questions' | 'answers'
  readonly questionsPath: string
  readonly answersPath: string
  /** HTML of each: views/questions/_question-row.eta. */
  readonly questions: readonly string[]
  readonly answers: readonly AnswerRow[]
  readonly isOwn: boolean
  readonly acts: PersonActs
}

export interface ProfileRole {
  readonly role: Role
  readonly course: Link & { readonly lang: Language }
}

export interface AnsweredTagView {
  readonly name: string
  readonly path: string
  readonly count: number
}

export interface BestAnswerView extends Link {
  readonly lang: string | null
  readonly votesCount: number
  readonly isAccepted: boolean
  /** null: nobody of the staff endorsed it. */
  readonly endorsedBy: string | null
}

/** An answer in the list of a person's answers: views/people/_answer-row.eta. */
export interface AnswerRow {
  readonly path: string
  readonly title: string
  readonly titleLang: string | null
  readonly excerpt: string
  readonly excerptLang: string | null
  readonly votesCount: number
  readonly isAccepted: boolean
  readonly writtenAt: Moment
  readonly course: Link
}

const EXCERPT = 200

/** @param timeZone the viewer's; null: each course's own */
export function answerRow(answer: WrittenAnswer, timeZone: string | null, t: Translate): AnswerRow {
  const text = excerpt(answer.body_html, EXCERPT)
  return {
    path: answerPath({ id: answer.question_id, title: answer.title }, answer.id),
    title: answer.title,
    titleLang: languageOf(answer.title),
    excerpt: text,
    excerptLang: languageOf(text),
    votesCount: answer.votes_count,
    isAccepted: answer.is_accepted,
    writtenAt: agedMoment(answer.written_at, timeZone ?? answer.time_zone, t, new Date()),
    course: { text: answer.course_title, path: coursePath(answer.course_slug) },
  }
}

export function profileNumbers({ asked, answered, tags, best }: Profile) {
  return {
    questionsCount: asked.count,
    answersCount: answered.count,
    acceptedCount: answered.accepted,
    endorsedCount: answered.endorsed,
    votesCount: asked.votes + answered.votes,
    tags: tags.map(({ name, count }) => ({ name, path: tagPath(name), count })),
    best: best === null ? null : bestAnswer(best),
  }
}

function bestAnswer({ id, question_id, title, votes, isAccepted, endorser }: BestAnswer): BestAnswerView {
  return {
    text: title,
    path: answerPath({ id: question_id, title }, id),
    lang: languageOf(title),
    votesCount: votes,
    isAccepted,
    endorsedBy: endorser,
  }
}

export function profileRole({ role, ...course }: Profile['roles'][number]): ProfileRole {
  return { role, course: { text: course.title, path: coursePath(course.slug), lang: course.language } }
}
