import type { FastifyInstance, FastifyRequest } from 'fastify'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import type { questionOf } from '../posts/find.ts'
import {
  questionAssignment,
  questionDone,
  questionDuplicate,
  questionPin,
  questionSnooze,
  TakenMeanwhile,
} from './operations.ts'
import { showRefused } from './refused.ts'
import { showTaken } from './taken.ts'

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
