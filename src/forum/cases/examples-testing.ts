import { sql } from 'kysely'
import type { Row } from '../../database/schema.ts'
import { type Example, type ExampleForum, type Examples, newest, TYPED } from '../../testing/examples.ts'
import { setRows } from '../../testing/rows.ts'
import type { PostTable } from '../posts/kinds.ts'

const tooLong = { note: `${TYPED}${'x'.repeat(5001)}` }
const aCase = { as: 'staff', after: ['report'], find: newest('cases') } as const
const aMeasure = { as: 'staff', after: ['decide-case'], find: newest('measures') } as const
const anObjection = { ...aMeasure, after: ['object'] } as const
const aReport = { after: ['decide-case'], input: { note: TYPED }, wrong: tooLong } as const
/** The newest report, changed so that it is somebody's. */
const reportWith = async ({ db }: ExampleForum, changed: Partial<Omit<Row<'reports'>, 'id'>>) => {
  const { id } = await db
    .selectFrom('reports')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  await db.updateTable('reports').set(changed).where('id', '=', id).execute()
  return { id, token: changed.mail_token ?? '' }
}
const onPerson = (input: Readonly<Record<string, string>>): Example => ({
  as: 'staff',
  input: { course: 'rest', ...input },
})

/** A post that is held. */
const held = (table: PostTable): Example => ({
  as: 'staff',
  async find({ db, question, answer, reply }) {
    const { id } = { questions: question, answers: answer, replies: reply }[table]
    await setRows(db, table, id, { held_at: sql`now()`, held_for: 'all' })
    return {}
  },
})
const rejected = { input: { ground: 'rude', note: TYPED }, wrong: tooLong } as const

/** A post of the small forum is deleted, in a queue. */
const inBulk = {
  input: ({ answer }: ExampleForum) => ({
    ...{ act: 'delete', post: `answer-${answer.id}`, ground: 'rude', rule: '', note: TYPED },
  }),
  wrong: { ground: '' },
}

export const CASE_EXAMPLES: Examples = {
  'bulk-moderation': { ...inBulk, as: 'staff', at: { '/moderation/bulk': { ...inBulk, as: 'admin' } } },
  'release-question': held('questions'),
  'release-answer': held('answers'),
  'release-reply': held('replies'),
  'reject-question': { ...held('questions'), ...rejected },
  'reject-answer': { ...held('answers'), ...rejected },
  'reject-reply': { ...held('replies'), ...rejected },
  'open-case': {
    as: 'staff',
    input: { reason: 'rude' },
    wrong: { reason: 'because' },
    at: { '/people/:id/cases': { as: 'admin', input: { reason: 'rude' } } },
  },
  'claim-case': { ...aCase, input: { value: 1 }, wrong: { value: 'perhaps' } },
  'decide-case': {
    ...aCase,
    input: { decision: 'uphold', measure: 'hide', note: TYPED, version: 1 },
    typed: { measure: ['hide'] },
    wrong: { decision: '' },
  },
  'hand-over-case': { ...aCase, input: { to: 'admins' }, wrong: { to: 'nobody' } },
  'redact-case': {
    as: 'admin',
    after: ['decide-case'],
    find: newest('cases'),
    input: { ground: 'asked' },
    wrong: { ground: '' },
  },
  'lift-measure': { ...aMeasure, input: { note: TYPED }, wrong: tooLong },
  object: {
    as: 'asker',
    after: ['decide-case'],
    find: newest('measures'),
    input: { note: TYPED },
    wrong: tooLong,
  },
  'answer-objection': {
    ...anObjection,
    as: 'admin',
    input: { value: 'lift', note: TYPED },
    wrong: { value: '' },
  },
  'hand-over-objection': { ...anObjection },
  'object-to-outcome': {
    ...{
      ...aReport,
      find: (forum) => reportWith(forum, { person_id: forum.asker.id, is_by_visitor: false }),
    },
  },
  'object-by-mail': {
    ...{ ...aReport, as: 'visitor', find: (forum) => reportWith(forum, { mail_token: 'x'.repeat(24) }) },
  },
  'answer-reporter': {
    ...{ as: 'admin', after: ['object-to-outcome'], find: newest('reports') },
    ...{ input: { value: 'keep', note: TYPED }, wrong: { value: '' } },
  },
  'hand-over-reporter': { as: 'staff', after: ['object-to-outcome'], find: newest('reports') },
  'suspend-person': { ...onPerson({ reason: TYPED, until: '' }), wrong: { until: 'some day' } },
  'unsuspend-person': { ...onPerson({}), after: ['suspend-person'] },
  'delete-posts-of-person': {
    ...onPerson({ reason: 'spam' }),
    wrong: { note: `${TYPED}${'x'.repeat(5001)}` },
  },
  spammer: { ...onPerson({ sure: '1' }), wrong: { sure: '' } },
  'undo-spammer': { ...onPerson({}), after: ['spammer'] },
  'restore-posts-of-person': { ...onPerson({}), after: ['delete-posts-of-person'] },
}
