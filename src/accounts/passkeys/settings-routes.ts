import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { notFound } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseStranger } from '../identity/password-again.ts'
import { removePasskey, renamePasskey } from './commands.ts'
import { renameForm } from './forms.ts'
import { findPasskey, type Passkey } from './queries.ts'
import { PASSKEYS_PATH, showPasskey, showPasskeys } from './settings-page.ts'

/** Looking at one's passkeys, renaming and removing them. Each change asks for the password again. */
export function registerPasskeySettings(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => PASSKEYS_PATH } as const

  app.get(PASSKEYS_PATH, async (request, reply) => showPasskeys(request, reply, request.requirePerson()))

  app.get(`${PASSKEYS_PATH}/:passkeyId`, async (request, reply) => {
    const person = request.requirePerson()
    return showPasskey(request, reply, person, await ownPasskey(request, person))
  })

  app.post(`${PASSKEYS_PATH}/:passkeyId`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const passkey = await ownPasskey(request, person)
    const form = renameForm.parse(request.body)
    if (!form.ok) return showPasskey(request, reply, person, passkey, form, 422)
    const show = showTo(request, reply, person, passkey, form.typed)
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    if (!(await renamePasskey(app.db, person.id, passkey.id, form.values.name))) throw notFound()
    noteEvent(request, 'passkey-renamed', {})
    return reply.flash('passkeys.flash.renamed').redirect(PASSKEYS_PATH, 303)
  })

  app.post(`${PASSKEYS_PATH}/:passkeyId/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const passkey = await ownPasskey(request, person)
    const show = showTo(request, reply, person, passkey, { name: passkey.name })
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const removed = await removePasskey(app.db, sessionOf(request), passkey.id, circumstancesOf(request))
    if (removed === 'absent') throw notFound()
    if (removed === 'last') return reply.flash('accounts.ways.last').redirect(PASSKEYS_PATH, 303)
    noteEvent(request, 'passkey-removed', {})
    return reply.flash('passkeys.flash.removed').redirect(PASSKEYS_PATH, 303)
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownPasskey(request: FastifyRequest, person: Person): Promise<Passkey> {
  const passkey = await findPasskey(request.server.db, person.id, idParam(request, 'passkeyId'))
  if (passkey === null) throw notFound()
  return passkey
}

function showTo(
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  passkey: Passkey,
  typed: FormState['typed'],
) {
  return ({ errors }: FormState, status: number) =>
    showPasskey(request, reply, person, passkey, { typed, errors }, status)
}
