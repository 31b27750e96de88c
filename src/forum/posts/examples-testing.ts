import { SECRET } from '../../testing/app.ts'
import { type Example, type Examples, newest, TYPED } from '../../testing/examples.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { rowsOf } from '../../testing/rows.ts'
import { unsubscribeToken } from '../mailing/choices.ts'
import { picture } from '../pictures/pictures-testing.ts'

const body = { body: TYPED }
const tooLong = { body: `${TYPED}${'x'.repeat(30_000)}` }
const question = { title: 'What does an example ask?', tags: 'http', ...body }
const on = { value: 1 }
const notOn = { value: 'perhaps' }
const aMark: Example = { as: 'staff', input: on, wrong: notOn }
/** Of who follows, votes and accepts. */
const anOwnMark: Example = { ...aMark, as: 'asker' }

const edit = (kind: 'question' | 'answer' | 'reply'): Example => ({
  as: kind === 'answer' ? 'helper' : 'asker',
  input: { ...(kind === 'question' && { title: question.title, tags: '' }), ...body, version: 1 },
  wrong: tooLong,
  ...(kind === 'question' && { typed: { tags: ['http'] } }),
})
const removal = (kind: 'question' | 'answer' | 'reply'): Example => ({
  as: kind === 'answer' ? 'helper' : 'asker',
})
const restoration = (kind: 'question' | 'answer' | 'reply'): Example => ({
  ...removal(kind),
  after: [`delete-${kind}`],
})
const ofVersion = (kind: 'question' | 'answer' | 'reply'): Example => ({
  as: 'staff',
  find: async (forum) => {
    const table = { question: 'questions', answer: 'answers', reply: 'replies' }[kind]
    const edited = { title: question.title, body: 'What staff made of it.', version: 1 }
    await forum.as.staff.post(`/${table}/${forum[kind].id}/edit`, edited)
    return { version: 1 }
  },
})

/** Converted a moment ago, from the other table: what it is now. */
const converted = (table: 'answers' | 'replies'): Example => ({
  as: 'staff',
  find: async ({ db, as, answer, reply }) => {
    const [before, from] = table === 'answers' ? ['replies', reply] : ['answers', answer]
    await as.staff.post(`/${before}/${from.id}/conversion`, {})
    const [now] = await rowsOf(db, 'conversions', { from_id: from.id })
    return { id: now?.answer_id ?? now?.reply_id ?? 0 }
  },
})

export const POST_EXAMPLES: Examples = {
  'ask-question': { input: { course: 'rest', ...question }, wrong: { title: '' }, typed: { tags: ['http'] } },
  'post-answer': { as: 'staff', input: body, wrong: tooLong },
  'answer-on-desk': { as: 'staff', input: { act: 'answer', ...body }, wrong: tooLong },
  'reply-to-question': { as: 'helper', input: body, wrong: tooLong },
  'reply-to-answer': { input: body, wrong: tooLong },
  'edit-question': edit('question'),
  'edit-answer': edit('answer'),
  'edit-reply': edit('reply'),
  'delete-question': removal('question'),
  'delete-answer': removal('answer'),
  'delete-reply': removal('reply'),
  'restore-question': restoration('question'),
  'restore-answer': restoration('answer'),
  'restore-reply': restoration('reply'),
  'restore-version-of-question': ofVersion('question'),
  'restore-version-of-answer': ofVersion('answer'),
  'restore-version-of-reply': ofVersion('reply'),
  'redact-version-of-question': ofVersion('question'),
  'redact-version-of-answer': ofVersion('answer'),
  'redact-version-of-reply': ofVersion('reply'),
  'vote-for-question': { ...anOwnMark, as: 'helper' },
  'vote-for-answer': anOwnMark,
  'accept-answer': anOwnMark,
  'endorse-answer': aMark,
  'resolve-question': { input: { status: 'resolved' }, wrong: { status: 'perhaps' } },
  'change-audience': { input: { audience: 'staff' }, wrong: { audience: 'nobody' } },
  'assign-question': { as: 'staff', input: { assignee: 'me' }, wrong: { assignee: 'somebody' } },
  'pin-question': { as: 'staff', input: { until: aDayAhead(2) }, wrong: { until: '2020-01-01' } },
  'snooze-question': { as: 'staff', input: { until: aDayAhead(2) }, wrong: { until: '2020-01-01' } },
  'question-done': { ...aMark, after: ['resolve-question'] },
  'link-duplicate': {
    as: 'staff',
    input: ({ second }) => ({ of: second.id }),
    wrong: { of: 'no question' },
  },
  'close-question': {
    as: 'staff',
    input: { reason: 'unclear', duplicate: '' },
    wrong: { reason: 'because' },
  },
  'convert-answer': {
    as: 'staff',
    input: { answer: '' },
    typed: { answer: null },
    wrong: { answer: 'the best' },
  },
  'convert-reply': { as: 'staff' },
  'undo-conversion-to-answer': converted('answers'),
  'undo-conversion-to-reply': converted('replies'),
  'move-question': {
    as: 'staff',
    input: { lecture: '1' },
    typed: { lecture: 1 },
    wrong: { lecture: 'the last' },
  },
  'bulk-questions': {
    as: 'staff',
    input: ({ question, second }) => ({
      ...{ act: 'close', question: `${question.id} ${second.id}`, reason: 'unclear', lecture: '', tags: '' },
      ...{ ground: '', rule: '', note: TYPED },
    }),
    wrong: { reason: '' },
  },
  'undo-bulk': { as: 'staff', after: ['bulk-questions'], find: newest('bulk_acts') },
  'follow-question': { ...anOwnMark, as: 'admin' },
  'follow-course': { ...anOwnMark, as: 'helper' },
  'follow-lecture': { ...anOwnMark, as: 'helper' },
  'follow-tag': { ...anOwnMark, as: 'helper' },
  'end-following': { as: 'asker', input: { value: 0 } },
  'mark-notifications-seen': {},
  'open-notification': {
    find: ({ db, asker }) =>
      db
        .selectFrom('notifications')
        .select('id')
        .where('person_id', '=', asker.id)
        .where('seen_at', 'is', null)
        .executeTakeFirstOrThrow(),
  },
  'choose-mail': { input: { rhythm: 'daily' }, wrong: { rhythm: 'never before' } },
  'upload-picture': { input: { alt: 'A red square' }, file: picture },
  unsubscribe: {
    isFromAnywhere: true,
    as: 'visitor',
    find: async ({ asker }) => ({
      token: unsubscribeToken(SECRET, { personId: asker.id, what: 'all', id: 0 }),
    }),
  },
  report: { as: 'visitor', input: { reason: 'rude' }, wrong: { reason: '', note: TYPED } },
}
