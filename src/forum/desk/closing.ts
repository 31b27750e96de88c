import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { type FormState, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idOf, type Sent, writing } from '../../web/json/endpoint.ts'
import { page } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { backPath, pathWith, questionPath } from '../../web/paths.ts'
import { isClosedByMeasure } from '../handling/in-force.ts'
import { CLOSING_FIELDS, type ClosingReason } from '../posts/closing.ts'
import { findQuestion, questionOf } from '../posts/find.ts'
import { question } from '../posts/lock.ts'
import { linkTyped, lockOriginal, questionIdIn, setDuplicate } from './duplicates.ts'

/**
 * Closes a question to new answers, for a reason: staff go on answering, and it waits for nobody. `solved-elsewhere` links it to the
 * question that answers it, and opening it again takes that back. Without a reason: opens it, unless a measure holds it closed.
 */
export const questionClosing = operation({
  name: 'close-question',
  right: 'close',
  async find(write: Write, { id, duplicate }: { readonly id: number; readonly duplicate: string }) {
    const originalId = questionIdIn(duplicate)
    // The original is locked before what shall lead to it.
    if (originalId !== null) await lockOriginal(write, id, originalId)
    return question(write, id)
  },
  limit: 'voting',
  input: CLOSING_FIELDS,
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { reason, duplicate }, note }) {
    const { id: questionId } = subject
    const before = await write
      .selectFrom('questions')
      .select(['closing_reason', 'duplicate_of'])
      .where('id', '=', questionId)
      .executeTakeFirstOrThrow()
    const wasElsewhere = before.closing_reason === 'solved-elsewhere'
    if (reason === 'solved-elsewhere' && (duplicate.trim() !== '' || before.duplicate_of === null))
      await linkTyped(write, {
        questionId,
        typed: duplicate,
        actorId: personOf(actor).id,
        field: 'duplicate',
      })
    else if (wasElsewhere && reason !== 'solved-elsewhere')
      await setDuplicate(write, { questionId, originalId: null, actorId: personOf(actor).id })
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
    refused: (request, reply, form) => showClosing(request, reply, form),
  })
}

/** The form again, with what is wrong: views/desk/closing.eta. */
export const showClosing = page('desk/closing', { robots: 'noindex' }, async (context, form: FormState) => {
  const id = idParam(context, 'id')
  const question = await findQuestion(context.db, context.person(), id, 'close')
  return {
    title: context.t('closing.title'),
    errors: form.errors,
    fields: context.formFields('closing', CLOSING_FIELDS, form),
    action: `/questions/${id}/closing`,
    backPath: questionPath(question),
  }
})

const closing = { path: ADDRESS, tag: 'desk', operation: questionClosing, isForStaff: true } as const
const duplicateIn = ({ duplicate }: Sent) =>
  typeof duplicate === 'string' || typeof duplicate === 'number' ? String(duplicate) : ''

export const closingEndpoints = [
  writing({
    ...{ ...closing, method: 'PUT', name: 'putClosing' },
    body: { fields: CLOSING_FIELDS, required: ['reason'] },
    key: (call) => ({ id: idOf(call), duplicate: duplicateIn(call.body) }),
    input: ({ body }) => ({ reason: body.reason || '-', duplicate: duplicateIn(body) }),
  }),
  writing({
    ...{ ...closing, method: 'DELETE', name: 'deleteClosing' },
    key: (call) => ({ id: idOf(call), duplicate: '' }),
    input: () => ({ reason: '', duplicate: '' }),
  }),
]
