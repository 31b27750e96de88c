import type { FastifyInstance, FastifyRequest } from 'fastify'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { questionResolution } from './operations.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')

/**
 * Saying that a question is resolved, or not. From the desk (`stay`: where the question is open there) staff are offered to undo it,
 * which sends `undo`.
 */
export function registerResolution(app: FastifyInstance): void {
  openForm(app, '/questions/:id/resolution', questionResolution, {
    key,
    formPage: (request) => `/questions/${key(request)}`,
    done: ({ question }, request) => backPath(request, questionPath(question)),
    flash(request, done) {
      const { stay: back } = typedFields(request.body)
      const isUndoable = done?.isOfDesk === true && back !== undefined && done.status === 'resolved'
      const undo = { status: 'unresolved', undo: 1, back: back ?? null }
      return {
        said: `questions.flash.${done?.status}`,
        act: isUndoable ? pathWith(`/questions/${key(request)}/resolution`, undo) : undefined,
      }
    },
  })
}
