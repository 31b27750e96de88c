import type { QuestionChange } from '../changes/change.ts'

/** A change of question 7 of course 1, which person 2 wrote. */
export function aQuestionChange(wishes: Partial<QuestionChange> = {}): QuestionChange {
  return {
    question: 7,
    change: 'posts',
    course: 1,
    lecture: null,
    author: 2,
    state: 0,
    isDeleted: false,
    writtenAt: 0,
    activeAt: 0,
    votes: 0,
    views: 0,
    answers: 1,
    tags: [],
    writers: [2],
    ...wishes,
  }
}
