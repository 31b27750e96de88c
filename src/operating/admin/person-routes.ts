import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DEPARTURE } from '../../accounts/deletion/departure.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { changeAdmin, deleteAccount } from './operations.ts'
import { showPerson } from './person-page.ts'

const PATH = '/admin/people/:id'
const pageOf = (request: FastifyRequest) => `/admin/people/${textParam(request, 'id')}`

export function registerAdminPerson(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    requireAdmin(request)
    return showPerson(request, reply, freshForm())
  })
  const refused = (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
    showPerson(request, reply, form, 422)
  const door = { key: (request: FastifyRequest) => textParam(request, 'id'), formPage: pageOf, refused }
  openForm(app, `${PATH}/admin`, changeAdmin, {
    ...door,
    input: (request) => ({ ...sent(request), person: textParam(request, 'id') }),
    done: (_, request) => pageOf(request),
    flash: () => 'admin.person.saved',
  })
  openForm(app, `${PATH}/delete`, deleteAccount, {
    ...door,
    input: (request) => ({ ...sent(request), person: textParam(request, 'id') }),
    done: () => '/admin/people',
    flash: () => {
      if (app.changes !== null) app.jobs.wake(DEPARTURE)
      return 'admin.person.deleted'
    },
  })
}

function sent({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'look-after-forum')) throw forbidden()
}
