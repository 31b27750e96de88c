import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import type { ProviderClients } from './clients.ts'
import { ProviderFailure } from './failure.ts'
import { Ending, readLogoutToken, sessionsEndByProvider } from './logout.ts'
import { providerOf } from './provider-list.ts'

/** Characters of a token: they have a few hundred. */
const MAX_TOKEN_LENGTH = 16_384

/** Signing out, where a provider is concerned: it ends sessions here, and people are led to end theirs there. */
export function registerProviderLogout(app: FastifyInstance, clients: ProviderClients): void {
  // A provider posts there by itself: the token's signature says whose sessions may end.
  openForm(app, '/sign-in/with/:provider/logout', sessionsEndByProvider, {
    isFromAnywhere: true,
    actor: () => null,
    key: () => null,
    async input(request, reply) {
      reply.header('cache-control', 'no-store')
      const provider = await providerOf(request)
      const sent = tokenIn(request)
      const token = sent === null ? null : await readLogoutToken(clients, provider, sent)
      if (token === null) throw new Problem('invalid')
      return { ending: new Ending(provider, token) }
    },
    done: () => '/',
    shown: (_, reply) => reply.code(200).send(''),
    failed: (_, reply, error) => refusalOf(reply, error),
  })

  app.get('/sign-out', async (request, reply) => {
    const provider = await app.providers.find(queryParam(request, 'with') ?? '')
    const leadsTo = `${app.config.baseUrl}/`
    const address =
      provider === null || request.person !== null ? null : await clients.signOutAddress(provider, leadsTo)
    if (provider === null || address === null) return reply.redirect('/', 303)
    const title = translatorFor(request)('accounts.with.signedOut.title')
    const page = { title, label: provider.label, thereAddress: address }
    return reply.page<typeof page>('accounts/signed-out', page)
  })
}

/** What a provider is told: section 2.8 of its specification. null: nothing that is about its token */
function refusalOf(reply: FastifyReply, error: unknown): Promise<unknown> | null {
  const isInvalid = error instanceof Problem && error.key === 'invalid'
  if (isInvalid) return Promise.resolve(reply.code(400).send({ error: 'invalid_request' }))
  // Its keys can't be read just now: a provider that tries again later is heard.
  if (error instanceof ProviderFailure)
    return Promise.resolve(
      reply.code(503).header('retry-after', '60').send({ error: 'temporarily_unavailable' }),
    )
  return null
}

function tokenIn({ body }: FastifyRequest): string | null {
  const sent = typeof body === 'object' && body !== null && 'logout_token' in body ? body.logout_token : null
  return typeof sent === 'string' && sent.length <= MAX_TOKEN_LENGTH ? sent : null
}
