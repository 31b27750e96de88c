import type { FastifyInstance } from 'fastify'
import { sentFields, typedFields } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { type Endpoint, idOf, writing } from '../../web/json/endpoint.ts'
import { queryParam } from '../../web/params.ts'
import { answerAcceptance } from '../answers/acceptance.ts'
import { answerEndorsement } from '../answers/endorsement.ts'
import { questionAssignment, showTaken, TakenMeanwhile } from '../desk/assignment.ts'
import { questionDone } from '../desk/done.ts'
import { questionSnooze } from '../desk/snooze.ts'
import { questionFollowing } from '../follows/following.ts'
import { openPostMark, type PostMark, type PostMarked } from '../posts/mark-form.ts'
import { questionPin } from '../posts/pin.ts'
import { questionResolution } from '../posts/resolution.ts'
import { answerVote, questionVote } from '../posts/vote.ts'

/** All marks on questions and answers: their forms, and PUT and DELETE for programs, come of this list. */
export const MARKS: readonly PostMark[] = [
  questionVote,
  answerVote,
  questionFollowing,
  questionResolution,
  answerAcceptance,
  answerEndorsement,
  questionAssignment,
  questionSnooze,
  questionDone,
  questionPin,
]

/** The tables that marks alone are in. */
export const markTables = MARKS.flatMap(({ table }) => table ?? [])

/** Following it instead of posting: it answers one's own (`?instead=1`), or asks the same (`?instead=same`). */
const INSTEAD: ReadonlySet<string | null> = new Set(['1', 'same'])

const FORMS: Readonly<Record<string, Partial<FormDoor<number, PostMarked>>>> = {
  [questionFollowing.name]: {
    input: (request) => ({
      ...sentFields(request.body),
      instead: INSTEAD.has(queryParam(request, 'instead')),
    }),
  },
  [questionAssignment.name]: {
    failed: (request, reply, error) =>
      error instanceof TakenMeanwhile
        ? showTaken(request, reply, error.taken, typedFields(request.body).back)
        : null,
  },
}

export function registerMarks(app: FastifyInstance): void {
  for (const mark of MARKS) openPostMark(app, mark, FORMS[mark.name])
}

export const markEndpoints = MARKS.flatMap(both)

/** PUT sets a mark, DELETE unsets it: twice the same changes nothing. */
function both(mark: PostMark): Endpoint[] {
  const { address, isForStaff = false, body } = mark
  const last = address.slice(address.lastIndexOf('/') + 1)
  const noun = mark.noun ?? `${last.charAt(0).toUpperCase()}${last.slice(1)}`
  const common = {
    path: address,
    tag: isForStaff ? 'desk' : 'votes',
    operation: mark,
    isForStaff,
    // Somebody else took it.
    problems: mark.name === questionAssignment.name ? [409] : [],
    key: idOf,
  } as const
  return [
    writing({
      ...{ ...common, method: 'PUT', name: `put${noun}` },
      ...(body !== undefined && { body }),
      input: ({ body }) => ({ ...mark.set, ...body }),
    }),
    writing({ ...common, method: 'DELETE', name: `delete${noun}`, input: () => mark.unset }),
  ]
}
