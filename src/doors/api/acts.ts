import { answerAcceptance, answerEndorsement } from '../../forum/answers/operations.ts'
import {
  questionAssignment,
  questionDone,
  questionDuplicate,
  questionPin,
  questionSnooze,
} from '../../forum/desk/operations.ts'
import { questionFollowing } from '../../forum/follows/operations.ts'
import { questionResolution } from '../../forum/questions/operations.ts'
import { answerVote, questionVote } from '../../forum/votes/votes.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Body, Endpoint } from './endpoint.ts'
import { idOf, writing } from './writing.ts'

type Sent = Readonly<Record<string, unknown>>

/** PUT does something, DELETE takes it back: twice the same changes nothing. */
function both<Done>(
  path: string,
  noun: string,
  operation: Operation<number, Done>,
  { put, del, isForStaff = false, body }: Both,
): Endpoint[] {
  const common = { path, tag: isForStaff ? 'desk' : 'votes', operation, isForStaff, key: idOf } as const
  const answer = { kind: 'none' } as const
  return [
    writing({
      ...{ ...common, method: 'PUT', name: `put${noun}`, answer },
      ...(body !== undefined && { body }),
      input: (call) => put(call.body),
    }),
    writing({ ...common, method: 'DELETE', name: `delete${noun}`, answer, input: () => del }),
  ]
}

interface Both {
  /** Input of the act (`put`) and of undoing it (`del`). */
  put(body: Sent): Sent
  readonly del: Sent
  readonly isForStaff?: boolean
  readonly body?: Body
}

const value = { put: () => ({ value: true }), del: { value: false } }
const valueOfStaff = { ...value, isForStaff: true }
const only = (name: string, body: Sent): Sent => (name in body ? { [name]: body[name] } : {})

/** Votes, following, resolution and acceptance; and what staff say of questions and answers. */
export const actEndpoints: readonly Endpoint[] = [
  ...both('/questions/:id/vote', 'QuestionVote', questionVote, value),
  ...both('/answers/:id/vote', 'AnswerVote', answerVote, value),
  ...both('/questions/:id/following', 'Following', questionFollowing, {
    put: () => ({ value: '1' }),
    del: { value: '0' },
  }),
  ...both('/questions/:id/resolution', 'Resolution', questionResolution, {
    put: () => ({ status: 'resolved' }),
    del: { status: 'unresolved' },
  }),
  ...both('/answers/:id/acceptance', 'Acceptance', answerAcceptance, value),
  ...both('/answers/:id/endorsement', 'Endorsement', answerEndorsement, valueOfStaff),
  ...both('/questions/:id/assignment', 'Assignment', questionAssignment, {
    put: (body) => ({ assignee: 'me', ...only('assignee', body), ...only('seen', body) }),
    del: { assignee: '' },
    isForStaff: true,
    body: { fields: questionAssignment.input, required: [] },
  }),
  ...both('/questions/:id/snooze', 'Snooze', questionSnooze, {
    put: (body) => ({ until: body.until }),
    del: { until: '' },
    isForStaff: true,
    body: { fields: { until: questionSnooze.input.until }, required: ['until'] },
  }),
  ...both('/questions/:id/done', 'Done', questionDone, valueOfStaff),
  ...both('/questions/:id/pin', 'Pin', questionPin, {
    put: (body) => only('until', body),
    del: { until: '' },
    isForStaff: true,
    body: { fields: { until: questionSnooze.input.until }, required: [] },
  }),
  ...duplicates(),
]

/** Marks a question as a duplicate; the operation locks the other question first. */
function duplicates(): Endpoint[] {
  const path = '/questions/:id/duplicate'
  const common = { path, tag: 'desk', operation: questionDuplicate, isForStaff: true } as const
  const answer = { kind: 'none' } as const
  const ofIn = ({ of }: Sent) => (typeof of === 'string' || typeof of === 'number' ? String(of) : '')
  return [
    writing({
      ...{ ...common, method: 'PUT', name: 'putDuplicate', answer },
      body: { fields: { of: questionDuplicate.input.of }, required: ['of'] },
      key: (call) => ({ id: idOf(call), of: ofIn(call.body) }),
      input: ({ body }) => ({ of: ofIn(body) || '-' }),
    }),
    writing({
      ...{ ...common, method: 'DELETE', name: 'deleteDuplicate', answer },
      key: (call) => ({ id: idOf(call), of: '' }),
      input: () => ({ of: '' }),
    }),
  ]
}
