import { ENDPOINTS } from '../../doors/api/endpoints.ts'
import type { Random } from '../generate/random.ts'
import type { FuzzRequest } from './client.ts'
import { encoded, hostileValue, plausibleValue } from './values.ts'

const SLUGS = ['rest', 'closed', 'no-such']

/** A request of a program. @param posts pages whose numbers exist */
export function apiRequest(token: string | null, posts: readonly string[], random: Random): FuzzRequest {
  const { method, path, query, body } = random.pick(ENDPOINTS)
  const place = path
    .replaceAll(/:course\b/g, random.pick(SLUGS))
    .replaceAll(/:\w+/g, () =>
      random.chance(0.8) ? anId(posts, random) : encoded(hostileValue(random)).slice(0, 5000),
    )
  const names = Object.keys(query?.shape ?? {}).filter(() => random.chance(0.3))
  const search = names
    .map((name) => `${name}=${encoded(String(aValue(name, random))).slice(0, 3000)}`)
    .join('&')
  const headers = {
    accept: 'application/json',
    ...(token !== null && random.chance(0.95) && { authorization: `Bearer ${token}` }),
    ...(random.chance(0.5) && { 'if-match': '"1"' }),
    ...(random.chance(0.2) && { 'idempotency-key': String(random.below(20)) }),
  }
  const request = { method, path: `/api/v1${place}${search === '' ? '' : `?${search}`}`, headers }
  if (body === null) return request
  const sent = Object.keys(body.fields)
    .filter(() => random.chance(0.8))
    .map((name) => [name, aValue(name, random)])
  const json = random.chance(0.05) ? '{"body":' : JSON.stringify(Object.fromEntries(sent))
  return { ...request, headers: { ...headers, 'content-type': 'application/json' }, body: json }
}

function anId(posts: readonly string[], random: Random): string {
  return /\d+/.exec(random.pick(posts))?.[0] ?? '1'
}

function aValue(name: string, random: Random): unknown {
  if (random.chance(0.3)) return hostileValue(random)
  return random.pick([1, true, null, [plausibleValue(name, random)], plausibleValue(name, random)])
}
