import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { notFound } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { refuseStranger } from '../identity/password-again.ts'
import { removePassword } from '../sign-in/commands.ts'
import { listOwnLinks } from './own-links.ts'
import { SIGN_IN_SETTINGS, showRemoval, showSignInSettings } from './settings-page.ts'
import { unlinkAccount } from './unlink.ts'

/** Everything that signs a person in; unlinking accounts, and doing without a password. The last way stays. */
export function registerSignInSettings(app: FastifyInstance, guesses: Guesses): void {
  const config = { limit: 'signIn', needsPerson: true, formPage: () => SIGN_IN_SETTINGS } as const
  const password = { what: 'password', label: '', action: `${SIGN_IN_SETTINGS}/password/delete` } as const

  app.get(SIGN_IN_SETTINGS, async (request, reply) =>
    showSignInSettings(request, reply, request.requirePerson()),
  )

  app.get(`${SIGN_IN_SETTINGS}/password`, async (request, reply) =>
    showRemoval(request, reply, request.requirePerson(), password),
  )

  app.post(`${SIGN_IN_SETTINGS}/password/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const show = (form: FormState, status: number) =>
      showRemoval(request, reply, person, password, { typed: {}, errors: form.errors }, status)
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const access = await removePassword(app.db, sessionOf(request), circumstancesOf(request))
    if (access === null) return reply.flash('accounts.ways.last').redirect(SIGN_IN_SETTINGS, 303)
    // All sessions have ended; this browser gets a new one, under a new token.
    await reply.signIn(access)
    noteEvent(request, 'password-removed', {})
    return reply.flash('accounts.ways.passwordRemoved').redirect(SIGN_IN_SETTINGS, 303)
  })

  app.get(`${SIGN_IN_SETTINGS}/links/:linkId`, async (request, reply) => {
    const person = request.requirePerson()
    return showRemoval(request, reply, person, await ownLink(request, person))
  })

  app.post(`${SIGN_IN_SETTINGS}/links/:linkId/delete`, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const link = await ownLink(request, person)
    const show = (form: FormState, status: number) =>
      showRemoval(request, reply, person, link, { typed: {}, errors: form.errors }, status)
    const refused = await refuseStranger(request, reply, guesses, show)
    if (refused !== null) return refused
    const unlinked = await unlinkAccount(app.db, sessionOf(request), link, circumstancesOf(request))
    if (unlinked === 'absent') throw notFound()
    if (unlinked === 'last') return reply.flash('accounts.ways.last').redirect(SIGN_IN_SETTINGS, 303)
    noteEvent(request, 'account-unlinked', { provider: link.name })
    const said = { key: 'accounts.with.unlinked', values: { provider: link.label } }
    return reply.flash([said]).redirect(SIGN_IN_SETTINGS, 303)
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownLink(request: FastifyRequest, person: Person) {
  const { db, providers } = request.server
  const id = idParam(request, 'linkId')
  const link = (await listOwnLinks(db, person.id)).find((own) => own.id === id)
  const provider = (await providers.all()).find((one) => one.id === link?.providerId)
  if (link === undefined || provider === undefined) throw notFound()
  const action = `${SIGN_IN_SETTINGS}/links/${id}/delete`
  return { id, what: 'link', label: provider.label, name: provider.name, action } as const
}
