import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import type { ProviderClients } from './clients.ts'
import { ProviderFailure } from './failure.ts'
import { endSessionsBy } from './logout.ts'
import { readLogoutToken } from './logout-token.ts'
import { providerOf } from './provider-of.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'accounts/signed-out': SignedOutPage
  }
}

export interface SignedOutPage {
  /** Of the provider. */
  readonly label: string
  /** Where they sign out there. */
  readonly thereAddress: string
}

/** Characters of a token: they have a few hundred. */
const MAX_TOKEN_LENGTH = 16_384

/** Signing out, where a provider is concerned: it ends sessions here, and people are led to end theirs there. */
export function registerProviderLogout(app: FastifyInstance, clients: ProviderClients): void {
  // A provider posts there by itself: the token's signature says whose sessions may end.
  const config = { limit: 'signIn', isFromAnywhere: true } as const
  app.post('/sign-in/with/:provider/logout', { config }, async (request, reply) => {
    const provider = await providerOf(request)
    reply.header('cache-control', 'no-store')
    const sent = tokenIn(request)
    try {
      const token = sent === null ? null : await readLogoutToken(clients, provider, sent)
      const ended = token === null ? null : await endSessionsBy(app.db, provider, token)
      if (ended === null) return reply.code(400).send({ error: 'invalid_request' })
      noteEvent(request, 'provider-ended-sessions', { ...ended, provider: provider.name })
      return reply.code(200).send('')
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error
      // Its keys can't be read just now: a provider that tries again later is heard.
      return reply.code(503).header('retry-after', '60').send({ error: 'temporarily_unavailable' })
    }
  })

  app.get('/sign-out', async (request, reply) => {
    const provider = await app.providers.find(queryParam(request, 'with') ?? '')
    const leadsTo = `${app.config.baseUrl}/`
    const address =
      provider === null || request.person !== null ? null : await clients.signOutAddress(provider, leadsTo)
    if (provider === null || address === null) return reply.redirect('/', 303)
    const title = translatorOf(languageOfRequest(request))('accounts.with.signedOut.title')
    return reply.page('accounts/signed-out', { title, label: provider.label, thereAddress: address })
  })
}

function tokenIn({ body }: FastifyRequest): string | null {
  const sent = typeof body === 'object' && body !== null && 'logout_token' in body ? body.logout_token : null
  return typeof sent === 'string' && sent.length <= MAX_TOKEN_LENGTH ? sent : null
}
