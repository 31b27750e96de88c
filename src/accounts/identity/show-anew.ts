import type { FastifyRequest } from 'fastify'
import type { Person } from '../../rights/person.ts'
import { pathWith } from '../../web/paths.ts'

/** A provider where somebody can show anew who they are: for views/accounts/_show-anew.eta. */
export interface ShowAnew {
  readonly label: string
  readonly path: string
}

/**
 * Where somebody without a password can show who they are, with the accounts they have linked, to come back to this page.
 */
export async function placesToShowAnew(request: FastifyRequest, person: Person): Promise<ShowAnew[]> {
  const usable = await request.server.providers.usable()
  if (usable.length === 0) return []
  const links = await request.server.db
    .selectFrom('linked_accounts')
    .select('provider_id')
    .where('person_id', '=', person.id)
    .execute()
  const own = usable.filter(({ id }) => links.some((link) => link.provider_id === id))
  const [next = '/'] = (request.method === 'GET' ? request.url : '/settings/sign-in').split('?')
  return own.map(({ name, label }) => ({
    label,
    path: pathWith(`/sign-in/with/${name}`, { again: 1, next }),
  }))
}
