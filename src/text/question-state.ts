/** What the status says: amber while nobody answered, soft once somebody did. */
export type QuestionState = 'waiting' | 'answered' | 'resolved'

/** What the status of a question says. */
export function stateOf(question: {
  readonly status: string
  readonly answers_count: number
}): QuestionState {
  if (question.status === 'resolved') return 'resolved'
  return question.answers_count === 0 ? 'waiting' : 'answered'
}
