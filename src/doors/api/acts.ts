import { questionDuplicate } from '../../forum/desk/duplicates.ts'
import { MARKS } from '../../forum/marks/marks.ts'
import type { PostMark } from '../../forum/posts/mark-form.ts'
import type { Endpoint } from './endpoint.ts'
import { idOf, writing } from './writing.ts'

type Sent = Readonly<Record<string, unknown>>

export const actEndpoints: readonly Endpoint[] = [...MARKS.flatMap(both), ...duplicates()]

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
    key: idOf,
  } as const
  const answer = { kind: 'none' } as const
  return [
    writing({
      ...{ ...common, method: 'PUT', name: `put${noun}`, answer },
      ...(body !== undefined && { body }),
      input: ({ body }) => ({ ...mark.set, ...body }),
    }),
    writing({ ...common, method: 'DELETE', name: `delete${noun}`, answer, input: () => mark.unset }),
  ]
}

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
