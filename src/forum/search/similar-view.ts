import type { Actor } from '../../rights/rights.ts'
import { languageIn } from '../../text/language.ts'
import { questionPath } from '../../web/paths.ts'
import type { SimilarQuestion } from './similar.ts'

/** A similar question, ready to show: views/search/_similar.eta and public/js/similar.js. */
export interface SimilarView {
  readonly id: number
  readonly title: string
  /** For the lang attributes of title and answer. */
  readonly lang: string
  readonly answerLang: string | null
  readonly path: string
  readonly isResolved: boolean
  readonly answersCount: number
  /** The first lines of its accepted or best answer; null without one. */
  readonly answer: string | null
  /** Where "this answers mine" is posted, or "same question here" while nobody has answered it; null for the viewer's own question, which answers nothing. */
  readonly followPath: string | null
}

const LENGTH = 160

/** Ready to show. */
export function similarViews(questions: readonly SimilarQuestion[], viewer: Actor | null): SimilarView[] {
  return questions.map((question) => similarView(question, viewer))
}

function similarView(question: SimilarQuestion, viewer: Actor | null): SimilarView {
  return {
    id: question.id,
    title: question.title,
    lang: languageIn(question.language, question.title),
    answerLang: question.answer === null ? null : languageIn(question.language, question.answer),
    path: questionPath(question),
    isResolved: question.status === 'resolved',
    answersCount: question.answersCount,
    answer: question.answer === null ? null : firstLines(question.answer),
    followPath:
      question.authorId === viewer?.id
        ? null
        : `/questions/${question.id}/following?instead=${question.answer === null ? 'same' : '1'}`,
  }
}

/** What a list shows of a text. */
export function firstLines(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  const characters = [...line]
  return characters.length <= LENGTH ? line : `${characters.slice(0, LENGTH).join('').trimEnd()}…`
}
