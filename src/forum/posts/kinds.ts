/** A question, an answer or a reply. */
export interface PostKey {
  readonly table: 'questions' | 'answers' | 'replies'
  readonly id: number
}

/** The column that names a post, in tables that know of all three kinds. */
export const POST_COLUMNS = { questions: 'question_id', answers: 'answer_id', replies: 'reply_id' } as const
