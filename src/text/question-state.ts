/** What the status says: amber while nobody answered, soft once somebody did. */
export type QuestionState = 'waiting' | 'answered' | 'resolved'

export function stateOf(question: {
  readonly status: string
  readonly answers_count: number
}): QuestionState {
  if (question.status === 'resolved') return 'resolved'
  return question.answers_count === 0 ? 'waiting' : 'answered'
}

/** What of a question an open page follows beside its answers: `resolved.12` with the accepted answer's id, `unresolved.0` without one. */
export function liveStateOf(question: {
  readonly status: 'resolved' | 'unresolved'
  readonly accepted_answer_id: number | null
}): string {
  return `${question.status}.${question.accepted_answer_id ?? 0}`
}
