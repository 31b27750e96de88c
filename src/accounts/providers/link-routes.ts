import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { choice } from '../../operations/fields.ts'
import { NeedsSignIn } from '../../operations/problem.ts'
import { type FormState, form, freshForm } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { pathWith, signInWithPath } from '../../web/paths.ts'
import { circumstancesOf } from '../identity/circumstances.ts'
import type { Guesses } from '../identity/guesses.ts'
import { sessionOf } from '../identity/in-session.ts'
import { type Asking, askingOf, refuseStranger } from '../identity/password-again.ts'
import { arrive } from './arrival.ts'
import { knownBrowserToken } from './browser-cookie.ts'
import { letInBy, makingOf } from './entry.ts'
import { ProviderFailure } from './failure.ts'
import { showFailure } from './failure-page.ts'
import { linkAccount } from './link.ts'
import type { UsableProvider } from './provider.ts'
import { providerOf } from './provider-of.ts'
import { findUnlinked, type Unlinked } from './sign-ins.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/with-link': WithLinkPage
  }
}

export interface WithLinkPage {
  readonly form: FormState
  /** Of the provider. */
  readonly label: string
  /** Who they are there: an address or a name; null: it told neither. */
  readonly accountName: string | null
  readonly action: string
  /** Who is signed in, and what is asked of them; null: a visitor. */
  readonly asking: Asking | null
  readonly displayName: string | null
  /** Where a visitor signs in, to come back. */
  readonly signInPath: string
  /** Whether a visitor may have a new account instead. */
  readonly mayCreate: boolean
}

const linkForm = form({ act: choice(['link', 'create']) })

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

  app.post(path, { config: { limit: 'signIn' } }, async (request, reply) => {
    const provider = await providerOf(request)
    const waiting = await waitingIn(request, provider)
    try {
      if (waiting === null) throw new ProviderFailure('expired')
      const sent = linkForm.parse(request.body)
      if (!sent.ok) return showLink(request, reply, provider, waiting, sent, 422)
      return sent.values.act === 'create'
        ? await create(request, reply, provider, waiting)
        : await link(request, reply, guesses, provider, waiting)
    } catch (error) {
      return showFailure(request, reply, provider, waiting?.path ?? '/', error)
    }
  })
}

interface Waiting extends Unlinked {
  readonly browser: string
}

async function waitingIn(request: FastifyRequest, provider: UsableProvider): Promise<Waiting | null> {
  const browser = knownBrowserToken(request)
  const unlinked = await findUnlinked(request.server.db, provider.id, browser)
  return browser === null || unlinked === null ? null : { ...unlinked, browser }
}

async function link(
  request: FastifyRequest,
  reply: FastifyReply,
  guesses: Guesses,
  provider: UsableProvider,
  waiting: Waiting,
) {
  if (request.person === null) throw new NeedsSignIn()
  const show = (form: FormState, status: number) => showLink(request, reply, provider, waiting, form, status)
  const refused = await refuseStranger(request, reply, guesses, show)
  if (refused !== null) return refused
  await linkAccount(request.server.db, sessionOf(request), provider, waiting, circumstancesOf(request))
  noteEvent(request, 'account-linked', { provider: provider.name })
  const said = { key: 'accounts.with.linked', values: { provider: provider.label } }
  return reply.flash([said]).redirect(waiting.path === '/' ? '/settings/sign-in' : waiting.path, 303)
}

/** Who is signed in has an account. @throws ProviderFailure */
async function create(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: UsableProvider,
  waiting: Waiting,
) {
  if (request.person !== null) return reply.redirect(waiting.path, 303)
  const { account, path } = waiting
  const arrival = await arrive(request.server.db, provider, account, makingOf(request, path, true))
  return arrival.outcome === 'unlinked'
    ? showLink(request, reply, provider, waiting)
    : letInBy(request, reply, provider, { arrival, path, claims: {} })
}

async function showLink(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: UsableProvider,
  { account }: Waiting,
  form: FormState = freshForm(),
  status = 200,
) {
  const { person } = request
  const action = `${signInWithPath(provider.name)}/link`
  return reply.page(
    'accounts/with-link',
    {
      title: translatorOf(languageOfRequest(request))('accounts.with.link.title', {
        provider: provider.label,
      }),
      form,
      label: provider.label,
      accountName: account.email ?? account.name,
      action,
      asking: person === null ? null : await askingOf(request, person),
      displayName: person?.displayName ?? null,
      signInPath: pathWith('/sign-in', { next: action }),
      mayCreate: provider.createsAccounts,
    },
    { status },
  )
}
