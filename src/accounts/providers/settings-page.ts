import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { SECURITY, securityPath, signInWithPath } from '../../web/paths.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { findMailbox } from '../address/email-confirmation.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/own-account.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { askingOf, refuseStranger } from '../identity/reauthentication.ts'
import { countOwnWays } from '../identity/ways.ts'
import { passwordRemoval } from '../settings/operations.ts'
import { accountUnlinking } from './link.ts'
import { listOwnLinks, type OwnLink } from './linked-accounts.ts'
import { isUsable, type Provider } from './provider.ts'

/** Unlinking accounts, and doing without a password. The last way stays. */
export function registerSignInSettings(app: FastifyInstance, guesses: Guesses): void {
  const formPage = () => securityPath('sign-in')
  const password = { what: 'password', label: '', action: `${SIGN_IN_SETTINGS}/password/delete` } as const

  app.get(`${SIGN_IN_SETTINGS}/password`, async (request, reply) => showRemoval(request, reply, password))

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
    return showRemoval(request, reply, await ownLink(request, person))
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

function showTo(request: FastifyRequest, reply: FastifyReply, removed: Parameters<typeof showRemoval>[2]) {
  return ({ errors }: FormState, status: number) =>
    showRemoval(request, reply, removed, { typed: {}, errors }, status)
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

const SIGN_IN_SETTINGS = '/settings/sign-in' as const

/**
 * Ways to sign in beside passkeys: views/accounts/_ways.eta. `providers`: with the accounts there that are linked; `isLast`: whether the one
 * way there is can't be removed.
 */
export async function ownWays(request: FastifyRequest, person: Person, timeZone: string) {
  const { db, providers } = request.server
  const t = translatorFor(request)
  const all = await providers.all()
  const links = await listOwnLinks(db, person.id)
  const rows = all.map((provider) => {
    const link = links.find(({ providerId }) => providerId === provider.id)
    return rowOf(provider, link, (at) => writtenMoment(at, timeZone, t))
  })
  return {
    providers: rows.filter(({ linked, linkPath }) => linked !== null || linkPath !== null),
    hasPassword: (await findPasswordHash(db, person.id)) !== null,
    mailbox: await findMailbox(db, person.id),
    isLast: (await countOwnWays(db, person.id)) < 2,
  }
}

/** Asks for the password again before a way to sign in goes. */
export async function showRemoval(
  request: FastifyRequest,
  reply: FastifyReply,
  way: { readonly what: 'password' | 'link'; readonly label: string; readonly action: string },
  form: FormState = freshForm(),
  status = 200,
) {
  const page = {
    title: translatorFor(request)(`accounts.ways.remove.${way.what}.title`, { provider: way.label }),
    form,
    ...way,
    ...settingsNav(contextOf(request), SECURITY),
    ...(await askingOf(contextOf(request))),
  }
  return reply.page('accounts/remove-way', page, { status })
}

/** A provider, the account there that is linked, null: none is; and where linking begins, null: the provider is off. */
function rowOf(provider: Provider, link: OwnLink | undefined, momentFor: (at: Date) => Moment) {
  const linked =
    link === undefined
      ? null
      : {
          path: `${SIGN_IN_SETTINGS}/links/${link.id}`,
          name: link.accountName,
          since: momentFor(link.linkedAt),
          lastUsed: link.lastUsedAt === null ? null : momentFor(link.lastUsedAt),
        }
  return {
    label: provider.label,
    linked,
    linkPath: isUsable(provider) ? signInWithPath(provider.name, securityPath('sign-in')) : null,
  }
}
