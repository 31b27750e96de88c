import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { FormState } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { securityPath } from '../../web/paths.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import { refuseStranger } from '../identity/reauthentication.ts'
import { passwordRemoval } from '../settings/operations.ts'
import { accountUnlinking } from './link.ts'
import { listOwnLinks } from './linked-accounts.ts'
import { SIGN_IN_SETTINGS, showRemoval } from './settings-page.ts'

/** Unlinking accounts, and doing without a password. The last way stays. */
export function registerSignInSettings(app: FastifyInstance, guesses: Guesses): void {
  const formPage = () => securityPath('sign-in')
  const password = { what: 'password', label: '', action: `${SIGN_IN_SETTINGS}/password/delete` } as const

  app.get(`${SIGN_IN_SETTINGS}/password`, async (request, reply) =>
    showRemoval(request, reply, request.requirePerson(), password),
  )

  openForm(app, `${SIGN_IN_SETTINGS}/password/delete`, passwordRemoval, {
    key: sessionOf,
    formPage,
    instead: (request, reply) => refuseStranger(request, reply, guesses, showTo(request, reply, password)),
    // All sessions have ended; this browser gets a new one, under a new token.
    shown: async (_, reply, access) => void (access !== null && (await reply.signIn(access))),
    done: formPage,
    flash: (_, access) => (access === null ? 'accounts.ways.last' : 'accounts.ways.passwordRemoved'),
  })

  app.get(`${SIGN_IN_SETTINGS}/links/:linkId`, async (request, reply) => {
    const person = request.requirePerson()
    return showRemoval(request, reply, person, await ownLink(request, person))
  })

  openForm(app, `${SIGN_IN_SETTINGS}/links/:linkId/delete`, accountUnlinking, {
    key: async (request) => ({
      ...sessionOf(request),
      link: await ownLink(request, request.requirePerson()),
    }),
    formPage,
    async instead(request, reply) {
      const link = await ownLink(request, request.requirePerson())
      return refuseStranger(request, reply, guesses, showTo(request, reply, link))
    },
    done: formPage,
    flash: (_, values) =>
      values === null ? 'accounts.ways.last' : { said: [{ key: 'accounts.with.unlinked', values }] },
  })
}

function showTo(request: FastifyRequest, reply: FastifyReply, removed: Parameters<typeof showRemoval>[3]) {
  return ({ errors }: FormState, status: number) =>
    showRemoval(request, reply, request.requirePerson(), removed, { typed: {}, errors }, status)
}

/** @throws Problem 404 for what is not theirs */
async function ownLink(request: FastifyRequest, person: Person) {
  const { db, providers } = request.server
  const id = idParam(request, 'linkId')
  const link = (await listOwnLinks(db, person.id)).find((own) => own.id === id)
  const provider = (await providers.all()).find((one) => one.id === link?.providerId)
  if (link === undefined || provider === undefined) throw notFound()
  const action = `${SIGN_IN_SETTINGS}/links/${id}/delete`
  return {
    id,
    providerId: provider.id,
    what: 'link',
    label: provider.label,
    name: provider.name,
    action,
  } as const
}
