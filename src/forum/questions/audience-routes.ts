import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { questionAudience } from './operations.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')

/** Keeping a question to the staff, and opening it to the course. */
export function registerAudience(app: FastifyInstance): void {
  openForm(app, '/questions/:id/audience', questionAudience, {
    key,
    formPage: (request) => `/questions/${key(request)}`,
    done: questionPath,
    flash: (_, done) => (done?.audience === 'staff' ? 'audience.flash.withdrawn' : 'audience.flash.opened'),
  })
}
