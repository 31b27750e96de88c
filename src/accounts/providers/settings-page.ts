import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { SECURITY, securityPath, signInWithPath } from '../../web/paths.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { findMailbox } from '../address/email-confirmation.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { askingOf } from '../identity/reauthentication.ts'
import { countOwnWays } from '../identity/ways.ts'
import { listOwnLinks, type OwnLink } from './linked-accounts.ts'
import { isUsable, type Provider } from './provider.ts'

export const SIGN_IN_SETTINGS = '/settings/sign-in' as const

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
  person: Person,
  way: { readonly what: 'password' | 'link'; readonly label: string; readonly action: string },
  form: FormState = freshForm(),
  status = 200,
) {
  const page = {
    title: translatorFor(request)(`accounts.ways.remove.${way.what}.title`, { provider: way.label }),
    form,
    ...way,
    ...settingsNav(request, SECURITY),
    ...(await askingOf(request, person)),
  }
  return reply.page<typeof page>('accounts/remove-way', page, { status })
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
