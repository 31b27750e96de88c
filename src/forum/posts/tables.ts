import { actor, author, missed, owner, table, unmissed } from '../../database/table.ts'

const post = { author_id: author, edited_by: actor, deleted_by: unmissed(actor) }

/** Whoever leaves is their author still, and is still mentioned, as a former member. */
export const postTables = [
  table('questions', { ...post, duplicate_by: actor }, { question: 'id' }),
  table('answers', { ...post, endorsed_by: actor }, { question: 'question_id' }),
  table('replies', post, { question: 'question_id' }),
  table(
    'post_versions',
    { written_by: author, redacted_by: actor },
    { key: ['question_id', 'answer_id', 'reply_id', 'version'] },
  ),
  // Counted by triggers.
  table('course_authors', { person_id: { ...owner, merge: 'stays', leaving: 'stays' } }),
]

const stays = { ...owner, leaving: 'stays' } as const

export const mentions = table(
  'mentions',
  { person_id: stays, mentioned_by: missed(stays) },
  {
    key: ['question_id', 'answer_id', 'reply_id', 'person_id'],
    own: {
      things: [['question_id', 'answer_id', 'reply_id']],
      parents: { question_id: 'questions', answer_id: 'answers', reply_id: 'replies' },
    },
  },
)
