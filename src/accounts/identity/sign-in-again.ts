import type { FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { pathWith, SECURITY } from '../../web/paths.ts'

/** A provider to sign in with again: for views/accounts/_sign-in-again.eta. */
export interface SignInAgain {
  readonly label: string
  readonly path: string
}

/**
 * Lists the linked providers with which a person without a password can prove who they are, and come back.
 * @param back left out: to this page
 */
export async function waysToSignInAgain(
  request: FastifyRequest,
  person: Person,
  back?: string,
): Promise<SignInAgain[]> {
  const usable = await request.server.providers.usable()
  if (usable.length === 0) return []
  const links = await request.server.db
    .selectFrom('linked_accounts')
    .select('provider_id')
    .where('person_id', '=', person.id)
    .execute()
  const own = usable.filter(({ id }) => links.some((link) => link.provider_id === id))
  const { formPage } = request.routeOptions.config
  const shown = request.method === 'GET' ? request.url : await formPage?.(request)
  const [next = '/'] = (shown ?? SECURITY).split('?')
  return own.map(({ name, label }) => ({
    label,
    path: pathWith(`/sign-in/with/${name}`, { again: 1, next: back ?? next }),
  }))
}
