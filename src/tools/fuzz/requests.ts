import type { Random } from '../generate/random.ts'
import type { FuzzRequest } from './client.ts'
import { multipartRequest } from './multipart.ts'
import type { FoundField, FoundForm } from './page-parts.ts'
import { encoded, hostileValue, PARAMETERS, plausibleDay, plausibleValue } from './values.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** A content type that a form's post may claim, but none of ours has. */
const TYPES = [
  'application/json',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/x-www-form-urlencoded; charset=utf-16',
  'text/xml',
  'x',
  '',
]

const METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'POST', 'TRACE', 'PROPFIND']

/** Fields that no form of ours has, whose names mean something elsewhere. */
const STRANGE_FIELDS = [
  'role',
  'is_admin',
  '__proto__',
  'constructor',
  'author_id',
  'a[b][c]',
  'toString',
  '',
  '_once',
]

/** Follows a link, sometimes changed: other parameters, another path, another method. */
export function visit(link: string, random: Random): FuzzRequest {
  const [path = '/', query = ''] = link.split('?')
  if (random.chance(0.6)) return { method: 'GET', path: link, headers: oddHeaders(random) }
  if (random.chance(0.15)) return { method: random.pick(METHODS), path: link, headers: oddHeaders(random) }
  if (random.chance(0.3)) return { method: 'GET', path: oddPath(path, random) }
  const added = Array.from(
    { length: 1 + random.below(3) },
    () => `${encoded(random.pick(PARAMETERS))}=${encoded(hostileValue(random)).slice(0, 12_000)}`,
  )
  const all = [query, ...added].filter((part) => part !== '').join('&')
  return { method: 'GET', path: `${path}?${all}`.slice(0, 15_000), headers: oddHeaders(random) }
}

/** Submits a form like a regular user, an attacker, or a broken program. */
export function fill(form: FoundForm, origin: string, random: Random): FuzzRequest {
  const manner = random.pick(['plausible', 'plausible', 'hostile', 'hostile', 'broken'] as const)
  const pairs = form.fields.flatMap((field): [string, string][] =>
    field.kind === 'choice' && random.chance(0.3) ? [] : [[field.name, valueFor(field, manner, random)]],
  )
  if (manner === 'broken') breakPairs(pairs, random)
  if (form.isMultipart) return multipartRequest(form, pairs, origin, random)
  const body = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  if (form.method === 'GET') {
    const [path = '/'] = form.action.split('?')
    return { method: 'GET', path: `${path}?${body}`.slice(0, 15_000) }
  }
  const sent = { method: 'POST', path: form.action, headers: { 'content-type': FORM_TYPE, origin }, body }
  return manner === 'broken' ? breakRequest(sent, random) : sent
}

function valueFor(field: FoundField, manner: 'plausible' | 'hostile' | 'broken', random: Random): string {
  // Most submissions need a valid token, or only its check would be tested.
  const isLeft = field.kind === 'hidden' ? (field.name === '_csrf' ? 0.97 : 0.8) : 0.15
  if (random.chance(isLeft)) return field.value
  if (manner === 'hostile' || field.kind === 'hidden') return hostileValue(random)
  if (field.kind === 'choice') return random.pick(field.options)
  if (field.kind === 'date') return plausibleDay(random)
  return plausibleValue(field.name, random)
}

function breakPairs(pairs: [string, string][], random: Random): void {
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const at = random.below(Math.max(1, pairs.length))
    const some: [string, string] = pairs[at] ?? ['x', 'y']
    const breakings = [
      () => pairs.splice(at, 1),
      () => pairs.push([some[0], hostileValue(random)]),
      () => pairs.push([random.pick(STRANGE_FIELDS), hostileValue(random)]),
      () => pairs.push([`${some[0]}[]`, some[1]], [`${some[0]}[x]`, some[1]]),
      () => pairs.push(...Array.from({ length: 60 }, (_, index): [string, string] => [`x${index}`, ''])),
    ]
    random.pick(breakings)()
  }
}

function breakRequest(request: FuzzRequest & { body: string }, random: Random): FuzzRequest {
  const { headers = {}, body } = request
  const breakings: (() => FuzzRequest)[] = [
    () => request,
    () => ({ ...request, headers: { ...headers, 'content-type': random.pick(TYPES) } }),
    () => ({ ...request, headers: { ...headers, origin: 'https://evil.example' } }),
    () => ({ ...request, headers: { ...headers, 'sec-fetch-site': 'cross-site' } }),
    () => ({ ...request, body: `${body}&x=%ff&y=%` }),
    () => ({ ...request, body: Buffer.concat([Buffer.from(body), Buffer.from([0xff, 0xfe, 0x00])]) }),
    () => ({ ...request, body: `${body}&x=${'x'.repeat(600_000)}` }),
    () => ({ ...request, body: '' }),
    () => ({
      ...request,
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"title":["x"],"__proto__":{"a":1}}',
    }),
    () => ({ ...request, headers: { ...headers, 'content-encoding': 'gzip' } }),
    () => ({ ...request, method: random.pick(METHODS) }),
  ]
  return random.pick(breakings)()
}

function oddHeaders(random: Random): Record<string, string> {
  if (random.chance(0.7)) return {}
  return random.pick([
    { 'accept-language': random.pick(['ko', 'ko-KR;q=0.1, en', 'x;q=9, *;q=0', '\u00ff'.repeat(50)]) },
    { accept: random.pick(['application/json', '*/*', 'image/*;q=x', '']) },
    { 'if-none-match': random.pick(['*', '"x"', 'W/""', ',,,']) },
    { referer: random.pick(['//evil.example', 'http://[', '/x']) },
    { host: random.pick(['evil.example', 'x:99999', '']) },
    { 'x-forwarded-for': '1.2.3.4, x', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' },
    {
      cookie: random.pick([
        'session=x; csrf=y',
        'flash=s%3Ax',
        'session=%ff; session=b',
        '=; ;;',
        `kept=${'k'.repeat(3000)}`,
      ]),
    },
    { range: 'bytes=0-5,9-', 'if-modified-since': 'yesterday' },
    { 'accept-encoding': random.pick(['gzip;q=0, *;q=0', 'br, zstd', 'x']) },
  ])
}

function oddPath(path: string, random: Random): string {
  const parts = path.split('/')
  const at = 1 + random.below(Math.max(1, parts.length - 1))
  parts[at] = encoded(hostileValue(random)).slice(0, 12_000)
  const odd = parts.join('/')
  return random.chance(0.1) ? `${odd}${random.pick(['%', '%ff', '%00', '//', '/../..', '/%2e%2e/'])}` : odd
}
