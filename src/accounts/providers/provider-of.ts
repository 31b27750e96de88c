import type { FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { textParam } from '../../web/params.ts'
import type { UsableProvider } from './provider.ts'

/** The provider in a path. @throws Problem 404 for one that nobody can sign in with */
export async function providerOf(request: FastifyRequest): Promise<UsableProvider> {
  const provider = await request.server.providers.find(textParam(request, 'provider'))
  if (provider === null) throw notFound()
  return provider
}
