import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { backPath, pathWith, questionPath } from '../../web/paths.ts'
import { findQuestion, type questionOf } from '../posts/find.ts'
import type { Taken } from './commands.ts'
import type { TakenPage } from './desk-view.ts'
import {
  questionAssignment,
  questionDone,
  questionDuplicate,
  questionPin,
  questionSnooze,
  TakenMeanwhile,
} from './operations.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')
const formPage = (request: FastifyRequest) => `/questions/${key(request)}`
const done = ({ question }: { readonly question: ReturnType<typeof questionOf> }, request: FastifyRequest) =>
  backPath(request, questionPath(question))

/** Forms of the desk, besides answering. */
export function registerDeskForms(app: FastifyInstance): void {
  openForm(app, '/questions/:id/assignment', questionAssignment, {
    key,
    formPage,
    done,
    flash: (_, outcome) => `desk.flash.${outcome?.done}`,
    failed: (request, reply, error) =>
      error instanceof TakenMeanwhile ? showTaken(request, reply, error.taken) : null,
  })
  openForm(app, '/questions/:id/snooze', questionSnooze, {
    key,
    formPage,
    done,
    flash: (_, outcome) => `desk.flash.${outcome?.done}`,
    refused: (request, reply, form) =>
      showRefused(request, reply, form, { act: 'snooze', name: 'until', type: 'date' }),
  })
  openForm(app, '/questions/:id/done', questionDone, {
    key,
    formPage,
    done,
    flash(request, outcome, path) {
      if (outcome?.isDone !== true) return 'desk.flash.notDone'
      const back = typedFields(request.body).stay ?? path
      return { said: 'desk.flash.done', act: pathWith(`/questions/${key(request)}/done`, { value: 0, back }) }
    },
  })
  openForm(app, '/questions/:id/duplicate', questionDuplicate, {
    key: (request) => ({ id: key(request), of: typedFields(request.body).of ?? '' }),
    formPage,
    done,
    flash: (_, outcome) => (outcome?.isLinked === true ? 'desk.flash.linked' : 'desk.flash.unlinked'),
    refused: (request, reply, form) =>
      showRefused(request, reply, form, { act: 'duplicate', name: 'of', type: 'text' }),
  })
  openForm(app, '/questions/:id/pin', questionPin, {
    key,
    formPage,
    done,
    flash: (_, outcome) => (outcome?.isPinned === true ? 'desk.flash.pinned' : 'desk.flash.unpinned'),
    refused: (request, reply, form) =>
      showRefused(request, reply, form, { act: 'pin', name: 'until', type: 'date' }),
  })
}

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
async function showRefused(
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

/** Tells who has it, and offers to take it over from them. An empty name: they put it back. */
async function showTaken(request: FastifyRequest, reply: FastifyReply, taken: Taken) {
  const id = idParam(request, 'id')
  const question = await findQuestion(request.server.db, request.requirePerson(), id, 'assign')
  const t = translatorFor(request)
  return reply.page<TakenPage>(
    'desk/taken',
    {
      title: t('desk.taken.title'),
      name: taken.name,
      questionTitle: question.title,
      backPath: backPath(request, questionPath(question)),
      assignment: {
        action: `/questions/${question.id}/assignment`,
        seen: taken.id === null ? '' : String(taken.id),
      },
    },
    { status: 409, robots: 'noindex' },
  )
}
