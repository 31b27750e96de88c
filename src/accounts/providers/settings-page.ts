import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Person } from '../../kernel/rights/person.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { SECURITY, securityPath, signInWithPath } from '../../web/paths.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { findMailbox, type Mailbox } from '../address/email-confirmation.ts'
import { findPasswordHash } from '../identity/queries.ts'
import { type Asking, askingOf } from '../identity/reauthentication.ts'
import { countOwnWays } from '../identity/ways.ts'
import { listOwnLinks } from './linked-accounts.ts'
import { isUsable, type Provider } from './provider.ts'

export const SIGN_IN_SETTINGS = '/settings/sign-in' as const

/** Ways to sign in beside passkeys: views/accounts/_ways.eta. */
export interface OwnWays {
  /** Providers, and accounts there that are linked. */
  readonly providers: readonly ProviderRow[]
  readonly hasPassword: boolean
  readonly mailbox: Mailbox
  /** Whether the one way there is can't be removed. */
  readonly isLast: boolean
}

interface ProviderRow {
  readonly label: string
  /** The account there; null: none is linked. */
  readonly linked: WayRow | null
  /** The address where linking begins; null: the provider is off. */
  readonly linkPath: string | null
}

interface WayRow {
  readonly path: string
  readonly name: string | null
  readonly since: Moment
  readonly lastUsed: Moment | null
}

/** The last question before a way to sign in goes. */
interface RemoveWayPage extends Asking, InSettings {
  readonly form: FormState
  readonly what: 'password' | 'link'
  readonly label: string
  readonly action: string
}

export async function ownWays(request: FastifyRequest, person: Person, timeZone: string): Promise<OwnWays> {
  const { db, providers } = request.server
  const t = translatorFor(request)
  const all = await providers.all()
  const links = await listOwnLinks(db, person.id)
  const rows = all.map((provider) =>
    rowOf(
      provider,
      links.find(({ providerId }) => providerId === provider.id),
      (at) => writtenMoment(at, timeZone, t),
    ),
  )
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
  way: Pick<RemoveWayPage, 'what' | 'label' | 'action'>,
  form: FormState = freshForm(),
  status = 200,
) {
  const t = translatorFor(request)
  return reply.page<RemoveWayPage>(
    'accounts/remove-way',
    {
      title: t(`accounts.ways.remove.${way.what}.title`, { provider: way.label }),
      form,
      ...way,
      ...settingsNav(request, SECURITY),
      ...(await askingOf(request, person)),
    },
    { status },
  )
}

function rowOf(
  provider: Provider,
  link: Awaited<ReturnType<typeof listOwnLinks>>[number] | undefined,
  momentFor: (at: Date) => Moment,
): ProviderRow {
  const path = `${SIGN_IN_SETTINGS}/links/${link?.id}`
  return {
    label: provider.label,
    linked:
      link === undefined
        ? null
        : {
            path,
            name: link.accountName,
            since: momentFor(link.linkedAt),
            lastUsed: link.lastUsedAt === null ? null : momentFor(link.lastUsedAt),
          },
    linkPath: isUsable(provider) ? signInWithPath(provider.name, securityPath('sign-in')) : null,
  }
}
