import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { applyClaims } from '../../kernel/rights/claimed-roles.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { pathWith, securityPath, signInWithPath } from '../../web/paths.ts'
import { hashToken } from '../../web/tokens.ts'
import { writeTo } from '../identity/letters.ts'
import { type InSession, ownWith, sessionOf } from '../identity/own-account.ts'
import { askingOf, refuseStranger } from '../identity/reauthentication.ts'
import { countOwnWays } from '../identity/ways.ts'
import { notifyWithWayBack } from '../second-factor/second-factor.ts'
import {
  type Arrival,
  Arriving,
  applyNoted,
  letInBy,
  makingOf,
  providerArrival,
  requireDomain,
} from './arrival.ts'
import { lockUsable } from './commands.ts'
import { ProviderFailure, showFailure } from './failure.ts'
import { insertLinked, type OwnLink } from './linked-accounts.ts'
import type { Provider, UsableProvider } from './provider.ts'
import { providerOf } from './provider-list.ts'
import { forgetReturned } from './required.ts'
import {
  findUnlinked,
  forgetUnlinked,
  knownBrowserToken,
  linkPath,
  pathOfSignIn,
  type Unlinked,
  type Waiting,
} from './sign-ins.ts'
import { closeEmpty } from './trust.ts'

/**
 * Links the account at a provider that waits in a tab to somebody's own, which it opens from then on; they are told by mail.
 * @returns how the provider is called, and where its owner wanted to go
 * @throws ProviderFailure `taken`: it opens another account, or they have one of this provider already; `expired`: none waits;
 *   `domain`: it could never open it
 */
const accountLinking = operation({
  name: 'link-account',
  right: 'have-account',
  find: async (write: Write, key: InSession & { readonly provider: Provider; readonly waiting: Waiting }) => {
    await lockUsable(write, key.provider.id)
    return ownWith(write, key)
  },
  limit: 'signIn',
  input: {},
  events: ['account-linked', 'member-removed', 'member-role-changed'],
  async run({ write, subject: { provider, waiting: tab, ...own }, note, ...where }) {
    const waiting = await findUnlinked(write, tab)
    if (waiting === null || tab.browser === null) throw new ProviderFailure('expired')
    const { account, path } = waiting
    requireDomain(provider, account)
    await closeEmpty(write, provider, own, account, where)
    if ((await insertLinked(write, own.personId, provider.id, account)) === null)
      throw new ProviderFailure('taken')
    await applyNoted(write, note, provider, own.personId, account)
    await forgetUnlinked(write, tab.browser)
    await notifyWithWayBack(write, own, 'accountLinked', where, { provider: provider.label })
    note('account-linked', { provider: provider.name })
    return { provider: provider.label, path }
  },
})

/** One of one's own linked accounts, and what its provider is called, for the letter and for the log. */
type UnlinkKey = InSession & {
  readonly link: Pick<OwnLink, 'id' | 'providerId'> & Pick<Provider, 'label' | 'name'>
}

/**
 * Unlinks an account at a provider, and ends the sessions elsewhere that began with it; the owner is told.
 * @returns null when it is the only way to sign in, and stays
 */
export const accountUnlinking = operation({
  name: 'unlink-account',
  right: 'have-account',
  find: ownWith<UnlinkKey>,
  limit: 'signIn',
  events: ['account-unlinked'],
  async run({ write, subject, note, ...where }) {
    const { id: personId, sessionToken, link } = subject
    if ((await countOwnWays(write, personId)) < 2) return null
    await write
      .deleteFrom('sessions')
      .where('token_hash', 'in', (query) =>
        query.selectFrom('provider_sessions').select('token_hash').where('linked_account_id', '=', link.id),
      )
      .where('person_id', '=', personId)
      .where('token_hash', '!=', hashToken(sessionToken ?? ''))
      .execute()
    const deleted = await write
      .deleteFrom('linked_accounts')
      .where('id', '=', link.id)
      .where('person_id', '=', personId)
      .executeTakeFirst()
    if (deleted.numDeletedRows !== 1n) throw notFound()
    await applyClaims(write, link.providerId, personId, [])
    const told = { provider: link.label }
    await writeTo(write, subject, 'accountUnlinked', where, { values: told })
    note('account-unlinked', { provider: link.name })
    return told
  },
})

/** An account at a provider that opens none here: linking it to one's own, after showing who one is, or a new account. */
export function registerLinking(app: FastifyInstance): void {
  const path = '/sign-in/with/:provider/link' as const

  app.get(path, async (request, reply) => {
    const provider = await providerOf(request)
    const waiting = await waitingIn(request, provider)
    reply.header('cache-control', 'private, no-store')
    return waiting === null
      ? showFailure(request, reply, provider, '/', new ProviderFailure('expired'))
      : showLink(request, reply, provider, waiting)
  })

  app.post(`${path}/forget`, async (request, reply) => {
    const { label } = await providerOf(request)
    await forgetReturned(request, null)
    return reply
      .flash([{ key: 'accounts.with.forgotten', values: { provider: label } }])
      .redirect(request.person === null ? '/' : securityPath('sign-in'), 303)
  })

  // Of both forms: without an account that waits there is nothing to do.
  const shared = {
    formPage: (request: FastifyRequest) =>
      linkPath({ name: textParam(request, 'provider') }, stateOf(request)),
    failed: (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
      error instanceof ProviderFailure ? failedPage(request, reply, error) : null,
  }
  openForm(app, path, accountLinking, {
    ...shared,
    async key(request) {
      const provider = await providerOf(request)
      return { ...sessionOf(request), provider, waiting: tabOf(request, provider) }
    },
    async instead(request, reply) {
      const provider = await providerOf(request)
      const waiting = await waitingIn(request, provider)
      if (waiting === null) return failedPage(request, reply, new ProviderFailure('expired'))
      if (!waiting.isRecent) return askAgain(request, reply, provider, waiting)
      return refuseStranger(request, reply, (_, reply, form) =>
        showLink(request, reply, provider, waiting, form),
      )
    },
    done: (linked) => (linked.path === '/' ? securityPath('sign-in') : linked.path),
    flash: (_, linked) => ({
      said: [{ key: 'accounts.with.linked', values: { provider: linked?.provider ?? '' } }],
    }),
  })
  openForm(app, '/sign-in/with/:provider/account', providerArrival, {
    ...shared,
    key: () => null,
    actor: () => null,
    // Who is signed in has an account.
    async instead(request, reply) {
      const provider = await providerOf(request)
      if (request.person !== null) return reply.redirect(await pathOfSignIn(app.db, stateOf(request)), 303)
      const waiting = await waitingIn(request, provider)
      return waiting === null || waiting.isRecent ? null : askAgain(request, reply, provider, waiting)
    },
    async input(request) {
      const provider = await providerOf(request)
      const { account, path } = await requireWaiting(request, provider)
      return { arriving: new Arriving(provider, account, makingOf(request, path, {}, true)) }
    },
    done: (_, { url }) => url,
    shown: letInCreated,
  })
}

/** What the provider said of how they signed in there was said a while ago: it counts no more. */
async function letInCreated(request: FastifyRequest, reply: FastifyReply, arrival: Arrival) {
  const provider = await providerOf(request)
  if (arrival.outcome === 'unlinked')
    return showLink(request, reply, provider, await requireWaiting(request, provider))
  const path = await pathOfSignIn(request.server.db, stateOf(request))
  return letInBy(request, reply, provider, arrival, path, {})
}

/** Somebody else may sit here by now: the provider asks who they are, and they come back to this page. */
async function askAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  { name }: UsableProvider,
  { path }: Unlinked,
) {
  await forgetReturned(request, null)
  return reply.redirect(pathWith(signInWithPath(name), { again: 1, next: path }), 303)
}

async function failedPage(request: FastifyRequest, reply: FastifyReply, error: ProviderFailure) {
  const provider = await providerOf(request)
  const path = await pathOfSignIn(request.server.db, stateOf(request))
  return showFailure(request, reply, provider, path, error)
}

function waitingIn(request: FastifyRequest, provider: UsableProvider): Promise<Unlinked | null> {
  return findUnlinked(request.server.db, tabOf(request, provider))
}

const tabOf = (request: FastifyRequest, { id: providerId }: UsableProvider) => ({
  providerId,
  browser: knownBrowserToken(request),
  state: stateOf(request),
})

/** In the address of the page, and in its forms. */
const stateOf = (request: FastifyRequest) =>
  queryParam(request, 'state') ?? typedFields(request.body).state ?? null

/** @throws ProviderFailure when none waits */
async function requireWaiting(request: FastifyRequest, provider: UsableProvider): Promise<Unlinked> {
  const waiting = await waitingIn(request, provider)
  if (waiting === null) throw new ProviderFailure('expired')
  return waiting
}

/** @param sent the form; left out: nobody has sent it */
export const showLink = page(
  'accounts/with-link',
  {},
  async (context, provider: UsableProvider, { account, leftAs, state }: Unlinked, sent?: FormState) => {
    const { t, viewer } = context
    const action = linkPath(provider, null)
    const back = linkPath(provider, state)
    const isExpected = leftAs === viewer?.id || (account.email !== null && account.email === viewer?.email)
    const isMine = sent !== undefined || queryParam(context, 'mine') === '1'
    return {
      title: t('accounts.with.link.title', { provider: provider.label }),
      form: sent ?? freshForm(),
      label: provider.label,
      // Null: the provider sent neither.
      accountName: account.email ?? account.name,
      action,
      createAction: `${signInWithPath(provider.name)}/account`,
      forgetAction: `${action}/forget`,
      state,
      // Where the signed-in person says that it is theirs, though it isn't the account that was expected.
      minePath: viewer === null || isExpected || isMine ? null : `${back}&mine=1`,
      asking: viewer === null ? null : await askingOf(context, undefined, back),
      displayName: viewer?.displayName ?? null,
      // Leads a visitor back here.
      signInPath: pathWith('/sign-in', { next: back }),
      mayCreate: provider.createsAccounts,
    }
  },
)
