import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { type Asking, askingOf, refuseStranger } from '../identity/password-again.ts'
import { type Arrival, arriving, providerArrival } from './arrival.ts'
import { knownBrowserToken } from './browser-cookie.ts'
import { letInBy, makingOf } from './entry.ts'
import { ProviderFailure } from './failure.ts'
import { showFailure } from './failure-page.ts'
import { accountLinking, type Linked, type LinkKey } from './link.ts'
import type { UsableProvider } from './provider.ts'
import { providerOf } from './provider-of.ts'
import { findUnlinked, type Unlinked } from './sign-ins.ts'

interface WithLinkPage {
  readonly form: FormState
  /** Of the provider. */
  readonly label: string
  /** Their email address or name there; null: the provider sent neither. */
  readonly accountName: string | null
  readonly action: string
  /** Of the form that makes a new account. */
  readonly createAction: string
  /** The signed-in person, and the proof to ask for; null: a visitor. */
  readonly asking: Asking | null
  readonly displayName: string | null
  /** The sign-in page that leads a visitor back here. */
  readonly signInPath: string
  /** Whether a visitor may have a new account instead. */
  readonly mayCreate: boolean
}

/** An account at a provider that opens none here: linking it to one's own, after showing who one is, or a new account. */
export function registerLinking(app: FastifyInstance, guesses: Guesses): void {
  const path = '/sign-in/with/:provider/link' as const

  app.get(path, async (request, reply) => {
    const provider = await providerOf(request)
    const waiting = await waitingIn(request, provider)
    reply.header('cache-control', 'private, no-store')
    return waiting === null
      ? showFailure(request, reply, provider, '/', new ProviderFailure('expired'))
      : showLink(request, reply, provider, waiting)
  })

  openForm(app, path, accountLinking, linking(guesses))
  openForm(app, '/sign-in/with/:provider/account', providerArrival, creating)
}

/** What both forms of the page have: without an account that waits there is nothing to do. */
const shared = {
  formPage: (request: FastifyRequest) => pathOf({ name: textParam(request, 'provider') }),
  failed: (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    error instanceof ProviderFailure ? failedPage(request, reply, error) : null,
} satisfies Partial<FormDoor<never, never>>

const linking = (guesses: Guesses): FormDoor<LinkKey, Linked> => ({
  ...shared,
  key: async (request) => ({
    ...sessionOf(request),
    provider: await providerOf(request),
    browser: knownBrowserToken(request),
  }),
  async instead(request, reply) {
    const provider = await providerOf(request)
    const waiting = await waitingIn(request, provider)
    if (waiting === null) return failedPage(request, reply, new ProviderFailure('expired'))
    const show = (form: FormState, status: number) =>
      showLink(request, reply, provider, waiting, form, status)
    return refuseStranger(request, reply, guesses, show)
  },
  done: ({ path }) => (path === '/' ? '/settings/sign-in' : path),
  flash: (_, done) => ({
    said: [{ key: 'accounts.with.linked', values: { provider: done?.provider ?? '' } }],
  }),
})

const creating: FormDoor<null, Arrival> = {
  ...shared,
  key: () => null,
  actor: () => null,
  /** Who is signed in has an account. */
  async instead(request, reply) {
    if (request.person === null) return null
    const waiting = await waitingIn(request, await providerOf(request))
    return reply.redirect(waiting?.path ?? '/', 303)
  },
  async input(request) {
    const provider = await providerOf(request)
    const { account, path } = await requireWaiting(request, provider)
    return arriving(provider, account, makingOf(request, path, {}, true))
  },
  done: (_, { url }) => url,
  shown: letInCreated,
}

/** What the provider said of how they signed in there was said a while ago: it counts no more. */
async function letInCreated(request: FastifyRequest, reply: FastifyReply, arrival: Arrival) {
  const provider = await providerOf(request)
  const waiting = await requireWaiting(request, provider)
  return arrival.outcome === 'unlinked'
    ? showLink(request, reply, provider, waiting)
    : letInBy(request, reply, provider, { arrival, path: waiting.path, claims: {} })
}

async function failedPage(request: FastifyRequest, reply: FastifyReply, error: ProviderFailure) {
  const provider = await providerOf(request)
  const waiting = await waitingIn(request, provider)
  return showFailure(request, reply, provider, waiting?.path ?? '/', error)
}

function waitingIn(request: FastifyRequest, provider: UsableProvider): Promise<Unlinked | null> {
  return findUnlinked(request.server.db, provider.id, knownBrowserToken(request))
}

/** @throws ProviderFailure when none waits */
async function requireWaiting(request: FastifyRequest, provider: UsableProvider): Promise<Unlinked> {
  const waiting = await waitingIn(request, provider)
  if (waiting === null) throw new ProviderFailure('expired')
  return waiting
}

const pathOf = ({ name }: Pick<UsableProvider, 'name'>) => `${signInWithPath(name)}/link`

async function showLink(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: UsableProvider,
  { account }: Unlinked,
  form: FormState = freshForm(),
  status = 200,
) {
  const { person } = request
  const action = pathOf(provider)
  return reply.page<WithLinkPage>(
    'accounts/with-link',
    {
      title: translatorFor(request)('accounts.with.link.title', {
        provider: provider.label,
      }),
      form,
      label: provider.label,
      accountName: account.email ?? account.name,
      action,
      createAction: `${signInWithPath(provider.name)}/account`,
      asking: person === null ? null : await askingOf(request, person),
      displayName: person?.displayName ?? null,
      signInPath: pathWith('/sign-in', { next: action }),
      mayCreate: provider.createsAccounts,
    },
    { status },
  )
}
