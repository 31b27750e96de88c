import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import type { PageContext } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { SECURITY, securityPath, signInWithPath } from '../../web/paths.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { findMailbox } from '../address/email-confirmation.ts'
import { sessionOf } from '../identity/own-account.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { askingOf, refuseStranger } from '../identity/reauthentication.ts'
import { countOwnWays } from '../identity/ways.ts'
import { passwordRemoval } from '../settings/operations.ts'
import { accountUnlinking } from './link.ts'
import { listOwnLinks, type OwnLink } from './linked-accounts.ts'
import { isUsable, type Provider } from './provider.ts'

/** Unlinking accounts, and doing without a password. The last way stays. */
export function registerSignInSettings(app: FastifyInstance): void {
  const formPage = () => securityPath('sign-in')
  const password = { what: 'password', label: '', action: `${SIGN_IN_SETTINGS}/password/delete` } as const

  app.get(`${SIGN_IN_SETTINGS}/password`, (request, reply) => showRemoval(request, reply, password))

  openForm(app, `${SIGN_IN_SETTINGS}/password/delete`, passwordRemoval, {
    key: sessionOf,
    formPage,
    instead: (request, reply) =>
      refuseStranger(request, reply, (_, reply, form) => showRemoval(request, reply, password, form)),
    // All sessions have ended; this browser gets a new one, under a new token.
    shown: async (_, reply, access) => void (access !== null && (await reply.signIn(access))),
    done: formPage,
    flash: (_, access) => (access === null ? 'accounts.ways.last' : 'accounts.ways.passwordRemoved'),
  })

  app.get(`${SIGN_IN_SETTINGS}/links/:linkId`, async (request, reply) =>
    showRemoval(request, reply, await ownLink(request)),
  )

  openForm(app, `${SIGN_IN_SETTINGS}/links/:linkId/delete`, accountUnlinking, {
    key: async (request) => ({ ...sessionOf(request), link: await ownLink(request) }),
    formPage,
    async instead(request, reply) {
      const link = await ownLink(request)
      return refuseStranger(request, reply, (_, reply, form) => showRemoval(request, reply, link, form))
    },
    done: formPage,
    flash: (_, values) =>
      values === null ? 'accounts.ways.last' : { said: [{ key: 'accounts.with.unlinked', values }] },
  })
}

/** @throws Problem 404 for what is not theirs */
async function ownLink(request: FastifyRequest) {
  const { db, providers } = request.server
  const { id: personId } = request.requirePerson()
  const id = idParam(request, 'linkId')
  const link = (await listOwnLinks(db, personId)).find((own) => own.id === id)
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
export async function ownWays({ t, db, server, person }: PageContext, timeZone: string) {
  const { id } = person()
  const all = await server.providers.all()
  const links = await listOwnLinks(db, id)
  const rows = all.map((provider) => {
    const link = links.find(({ providerId }) => providerId === provider.id)
    return rowOf(provider, link, (at) => writtenMoment(at, timeZone, t))
  })
  return {
    providers: rows.filter(({ linked, linkPath }) => linked !== null || linkPath !== null),
    hasPassword: (await findPasswordHash(db, id)) !== null,
    mailbox: await findMailbox(db, id),
    isLast: (await countOwnWays(db, id)) < 2,
  }
}

export const showRemoval = settingsPage(
  'accounts/remove-way',
  SECURITY,
  {},
  async (
    context,
    way: { readonly what: 'password' | 'link'; readonly label: string; readonly action: string },
    form: FormState = freshForm(),
  ) => ({
    title: context.t(`accounts.ways.remove.${way.what}.title`, { provider: way.label }),
    form,
    ...way,
    ...(await askingOf(context)),
  }),
)

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
