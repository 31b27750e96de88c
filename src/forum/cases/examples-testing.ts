import { sql } from 'kysely'
import { type Example, type Examples, newest, TYPED } from '../../testing/examples.ts'
import { setRows } from '../../testing/rows.ts'
import type { PostTable } from '../posts/kinds.ts'

const tooLong = { note: `${TYPED}${'x'.repeat(5001)}` }
const aCase = { as: 'staff', after: ['report'], find: newest('cases') } as const
const aMeasure = { as: 'staff', after: ['decide-case'], find: newest('measures') } as const
const anObjection = { ...aMeasure, after: ['object'] } as const
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

export const CASE_EXAMPLES: Examples = {
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
  'suspend-person': { ...onPerson({ reason: TYPED, until: '' }), wrong: { until: 'some day' } },
  'unsuspend-person': { ...onPerson({}), after: ['suspend-person'] },
  'delete-posts-of-person': {
    ...onPerson({ reason: 'spam' }),
    wrong: { note: `${TYPED}${'x'.repeat(5001)}` },
  },
  'restore-posts-of-person': { ...onPerson({}), after: ['delete-posts-of-person'] },
}
