import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { type FormState, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idOf, writing } from '../../web/json/endpoint.ts'
import type { PageContext } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { backPath, pathWith, questionPath } from '../../web/paths.ts'
import { isClosedByMeasure } from '../handling/in-force.ts'
import { CLOSING_FIELDS, type ClosingReason } from '../posts/closing.ts'
import { questionOf } from '../posts/find.ts'
import { showRefusedForm } from '../posts/mark-form.ts'
import { linkable, linkTyped, sentId, setDuplicate } from './duplicates.ts'

/**
 * Closes a question to new answers, for a reason: staff go on answering, and it waits for nobody. `solved-elsewhere` links it to the
 * question that answers it, and opening it again takes that back. Without a reason: opens it, unless a measure holds it closed.
 */
export const questionClosing = operation({
  name: 'close-question',
  right: 'close',
  find: (write: Write, { id, duplicate }: { readonly id: number; readonly duplicate: string }) =>
    linkable(write, id, duplicate),
  limit: 'voting',
  input: CLOSING_FIELDS,
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { reason, duplicate }, note }) {
    const { id: questionId, question: before } = subject
    const isElsewhere = reason === 'solved-elsewhere'
    const link = { questionId, actorId: personOf(actor).id }
    if (isElsewhere && (duplicate.trim() !== '' || before.duplicateOf === null))
      await linkTyped(write, { ...link, typed: duplicate, field: 'duplicate' })
    if (!isElsewhere && before.closingReason === 'solved-elsewhere')
      await setDuplicate(write, { ...link, originalId: null })
    await setClosing(write, questionId, reason)
    note('staff-decided', { act: reason === null ? 'reopened' : 'closed', questionId })
    return { subject, reason }
  },
})

/** @param reason null: it is open again */
export async function setClosing(
  write: Write,
  questionId: number,
  reason: ClosingReason | null,
): Promise<void> {
  const since = sql<Date | null>`answers_closed_at`
  const closed = sql<Date>`coalesce(answers_closed_at, now())`
  const kept = sql<Date | null>`case when ${isClosedByMeasure(questionId)} then ${since} end`
  await write
    .updateTable('questions')
    .set({ closing_reason: reason, answers_closed_at: reason === null ? kept : closed })
    .where('id', '=', questionId)
    .execute()
}

const ADDRESS = '/questions/:id/closing'

const closingFields = ({ formFields }: Pick<PageContext, 'formFields'>, form: FormState) => {
  const { reason, duplicate } = formFields('closing', CLOSING_FIELDS, form)
  return [reason, duplicate]
}

export function registerClosing(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => ({
    id: idParam(request, 'id'),
    duplicate: typedFields(request.body).duplicate ?? '',
  })
  openForm(app, ADDRESS, questionClosing, {
    key,
    formPage: (request) => `/questions/${idParam(request, 'id')}`,
    done: ({ subject }, request) => backPath(request, questionPath(questionOf(subject))),
    flash(request, done, path) {
      if (done === null || done.reason === null) return 'closing.flash.opened'
      const undo = pathWith(ADDRESS.replace(':id', String(idParam(request, 'id'))), {
        reason: '',
        back: path,
      })
      return { said: 'closing.flash.closed', act: undo }
    },
    refused: (request, reply, form) =>
      showRefusedForm(request, reply, form, ADDRESS, closingFields, backPath(request, '')),
  })
}

const closing = { path: ADDRESS, tag: 'desk', operation: questionClosing, isForStaff: true } as const
export const closingEndpoints = [
  writing({
    ...{ ...closing, method: 'PUT', name: 'putClosing' },
    body: { fields: CLOSING_FIELDS, required: ['reason'] },
    key: (call) => ({ id: idOf(call), duplicate: sentId(call.body.duplicate) }),
    input: ({ body }) => ({ reason: body.reason || '-', duplicate: sentId(body.duplicate) }),
  }),
  writing({
    ...{ ...closing, method: 'DELETE', name: 'deleteClosing' },
    key: (call) => ({ id: idOf(call), duplicate: '' }),
    input: () => ({ reason: '', duplicate: '' }),
  }),
]
