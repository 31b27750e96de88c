import type { OutgoingHttpHeaders } from 'node:http'

/** An origin that no site would name, to ask from as the scanner does. */
export const SCANNER = 'https://scanner.example'

const MIN_HSTS_SECONDS = 15_552_000
const PRIVATE_REFERRERS = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin']

/**
 * Where a response over https falls short of the best result of a rule of the MDN HTTP Observatory
 * (https://developer.mozilla.org/en-US/observatory/docs/tests_and_scoring, read in November 2026), by header. None is
 * an A+: 100 points, and as a bonus 10 each for policy and resources, 5 each for framing and referrers.
 */
export function observatoryFaults({
  headers,
  body,
}: {
  headers: OutgoingHttpHeaders
  body: string
}): string[] {
  const policy = policyOf(headers)
  const sources = [...policy.values()].flat()
  const hsts = /^max-age=(\d+)(?:;|$)/.exec(headerOf(headers, 'strict-transport-security'))?.[1]
  const rules: Readonly<Record<string, boolean>> = {
    'content-security-policy':
      policy.get('default-src')?.join() === "'none'" &&
      sources.every((source) => /^(?:'none'|'self'|'(?:nonce|sha(?:256|384|512))-.+'|data:)$/.test(source)) &&
      !(policy.get('script-src') ?? []).concat(policy.get('style-src') ?? []).includes('data:'),
    'frame-ancestors': policy.has('frame-ancestors'),
    'strict-transport-security': Number(hsts ?? 0) >= MIN_HSTS_SECONDS,
    'referrer-policy': PRIVATE_REFERRERS.includes(headerOf(headers, 'referrer-policy')),
    'x-content-type-options': headerOf(headers, 'x-content-type-options') === 'nosniff',
    'cross-origin-resource-policy': /^same-(?:origin|site)$/.test(
      headerOf(headers, 'cross-origin-resource-policy'),
    ),
    'access-control-allow-origin': headers['access-control-allow-origin'] === undefined,
    'set-cookie': [headers['set-cookie'] ?? []].flat().every(isGoodCookie),
    script: [...body.matchAll(/<script\b[^>]*\bsrc="([^"]*)"/g)].every(([, source = '']) =>
      /^\/(?!\/)/.test(source),
    ),
  }
  return Object.keys(rules).filter((name) => rules[name] === false)
}

/** The last one of a directive that is repeated: ours are not. */
function policyOf(headers: OutgoingHttpHeaders): ReadonlyMap<string, string[]> {
  const directives = headerOf(headers, 'content-security-policy').split(';')
  return new Map(
    directives
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name = '', ...sources]) => [name, sources]),
  )
}

function isGoodCookie(cookie: string): boolean {
  const isSession = /^[^=]*(?:sess|login)/i.test(cookie)
  return (
    /;\s*secure\b/i.test(cookie) &&
    /;\s*samesite=(?:lax|strict)\b/i.test(cookie) &&
    (!isSession || /;\s*httponly\b/i.test(cookie))
  )
}

const headerOf = (headers: OutgoingHttpHeaders, name: string) =>
  String(headers[name] ?? '')
    .trim()
    .toLowerCase()
