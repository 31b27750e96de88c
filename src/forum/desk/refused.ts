import type { FastifyReply, FastifyRequest } from 'fastify'
import { backPath } from '../../web/back.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../posts/find.ts'

/** A form of one field that cannot be done: what is wrong, and the form again. */
interface RefusedPage {
  readonly reason: string
  readonly action: string
  readonly field: {
    readonly name: string
    readonly label: string
    readonly value: string
    readonly type: 'text' | 'date'
  }
  readonly button: string
  readonly backPath: string
}

/** The refused form: its path, its messages and its only field. */
interface Refusal extends Pick<RefusedPage['field'], 'name' | 'type'> {
  readonly act: 'duplicate' | 'pin' | 'snooze'
}

/** Answers 422 with the form of one field again, and what is wrong with what was typed. */
export async function showRefused(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  { act, ...field }: Refusal,
) {
  const t = translatorFor(request)
  const id = idParam(request, 'id')
  const question = await findQuestion(request.server.db, request.requirePerson(), id, 'assign')
  const [error] = form.errors
  const reason = error === undefined ? '' : t(error.message.key, error.message.values)
  return reply.page<RefusedPage>(
    'desk/refused',
    {
      title: t(`desk.${act}.title`),
      reason,
      action: `/questions/${id}/${act}`,
      field: { ...field, value: form.typed[field.name] ?? '', label: t(`desk.${act}.label`) },
      button: t(`desk.${act}.name`),
      backPath: backPath(request, questionPath(question)),
    },
    { status: 422, robots: 'noindex' },
  )
}
