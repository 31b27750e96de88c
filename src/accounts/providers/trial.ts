import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forbidden, notFound } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { signInWithPath } from '../../web/paths.ts'
import { browserToken, knownBrowserToken } from './browser-cookie.ts'
import type { ProviderClients } from './clients.ts'
import { showFailure } from './failure-page.ts'
import type { Provider } from './provider.ts'
import { beginSignIn, returnFrom } from './sign-ins.ts'

interface ClaimsPage {
  /** Of the provider. */
  readonly label: string
  /** As they came: text, or JSON. */
  readonly claims: readonly { readonly name: string; readonly value: string }[]
  readonly backPath: string
}

/** Signing in to try a provider, which may be off: the admin who began it sees what came, and nobody is signed in. */
export function registerTrials(app: FastifyInstance, clients: ProviderClients): void {
  app.get('/admin/sign-in/:id/claims', { config: { limit: 'signIn' } }, async (request, reply) => {
    requireDecider(request)
    const provider = await triedProvider(request, idParam(request, 'id'))
    reply.header('cache-control', 'private, no-store')
    try {
      const begun = await beginSignIn(app.db, {
        providerId: provider.id,
        browser: browserToken(request, reply),
        path: pathOf(provider),
        personId: request.person?.id ?? null,
        isAgain: true,
        isTrial: true,
      })
      return reply.redirect(
        await clients.signInAddress(provider, returnOf(request, provider), begun, true),
        303,
      )
    } catch (error) {
      return showFailure(request, reply, provider, pathOf(provider), error)
    }
  })
}

/** The way back of a trial. @param state of a trial of this provider */
export async function showClaims(
  request: FastifyRequest,
  reply: FastifyReply,
  clients: ProviderClients,
  { providerId, state }: { readonly providerId: number; readonly state: string },
): Promise<FastifyReply | string> {
  requireDecider(request)
  const provider = await triedProvider(request, providerId)
  const t = translatorFor(request)
  try {
    const { db } = request.server
    const begun = await returnFrom(db, { providerId, browser: knownBrowserToken(request), state })
    const query = request.url.slice(request.url.indexOf('?') + 1)
    const returned = new URL(`${returnOf(request, provider)}?${query}`)
    const { claims } = await clients.whoReturned(provider, returned, begun, null)
    return await reply.page<ClaimsPage>('accounts/with-claims', {
      title: t('providers.claims.title', { provider: provider.label }),
      label: provider.label,
      claims: Object.entries(claims).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      })),
      backPath: pathOf(provider),
    })
  } catch (error) {
    return showFailure(request, reply, provider, pathOf(provider), error)
  }
}

/** @throws Problem 403 for everybody but admins */
function requireDecider(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'decide-settings')) throw forbidden()
}

/** @throws Problem 404 for one that isn't set up */
async function triedProvider({ server }: FastifyRequest, id: number) {
  const provider = (await server.providers.all()).find((one) => one.id === id)
  if (provider === undefined || provider.connection === null) throw notFound()
  return { ...provider, connection: provider.connection }
}

const pathOf = ({ id }: Pick<Provider, 'id'>) => `/admin/sign-in/${id}`

const returnOf = ({ server }: FastifyRequest, { name }: Pick<Provider, 'name'>) =>
  `${server.config.baseUrl}${signInWithPath(name)}/return`
