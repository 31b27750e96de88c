import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { securityPath } from '../../web/paths.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseFormOfStranger, refuseStranger } from '../identity/password-again.ts'
import { renameForm } from './forms.ts'
import { passkeyRemoval, passkeyRenaming } from './operations.ts'
import { findPasskey, type Passkey } from './queries.ts'
import { PASSKEYS_PATH, showPasskey } from './settings-page.ts'

/** Renaming one's passkeys and removing them. Each change asks for the password again. */
export function registerPasskeySettings(app: FastifyInstance, guesses: Guesses): void {
  app.get(`${PASSKEYS_PATH}/:passkeyId`, async (request, reply) => {
    const person = request.requirePerson()
    return showPasskey(request, reply, person, await ownPasskey(request, person))
  })

  const own = {
    key: (request: FastifyRequest) => ({ ...sessionOf(request), passkeyId: idParam(request, 'passkeyId') }),
    formPage: () => securityPath('passkeys'),
    done: () => securityPath('passkeys'),
  }
  openForm(app, `${PASSKEYS_PATH}/:passkeyId`, passkeyRenaming, {
    ...own,
    async instead(request, reply) {
      const show = showTo(request, reply, await ownPasskey(request, request.requirePerson()))
      return refuseFormOfStranger(request, reply, guesses, renameForm, show)
    },
    flash: () => 'passkeys.flash.renamed',
  })
  openForm(app, `${PASSKEYS_PATH}/:passkeyId/delete`, passkeyRemoval, {
    ...own,
    async instead(request, reply) {
      const passkey = await ownPasskey(request, request.requirePerson())
      const show = showTo(request, reply, passkey)
      return refuseStranger(request, reply, guesses, ({ errors }, status) =>
        show({ typed: { name: passkey.name }, errors }, status),
      )
    },
    flash: (_, done) => (done === 'last' ? 'accounts.ways.last' : 'passkeys.flash.removed'),
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownPasskey(request: FastifyRequest, person: Person): Promise<Passkey> {
  const passkey = await findPasskey(request.server.db, person.id, idParam(request, 'passkeyId'))
  if (passkey === null) throw notFound()
  return passkey
}

function showTo(request: FastifyRequest, reply: FastifyReply, passkey: Passkey) {
  return (form: FormState, status: number) =>
    showPasskey(request, reply, request.requirePerson(), passkey, form, status)
}
