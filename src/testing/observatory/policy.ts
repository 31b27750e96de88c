import { type Scanned, type Verdict, valuesOf } from './scan.ts'

type Policy = ReadonlyMap<string, ReadonlySet<string>>

const BROAD = ['ftp:', 'http:', 'https:', '*', 'http://*', 'http://*.*', 'https://*', 'https://*.*']
const INLINE = ["'unsafe-inline'", 'data:']
const PASSIVE = ['img-src', 'media-src']
const ANYTHING: ReadonlySet<string> = new Set(['*'])

/** Content-Security-Policy: src/analyzer/tests/csp.js of mdn/mdn-http-observatory. Several directives of a name: the first counts. */
export function policyRule(scanned: Scanned): Verdict {
  const policy = policyOf(scanned)
  if (policy.size === 0) return { result: 'csp-not-implemented', modifier: -25 }
  const scripts = withoutIgnored(sourcesOf(policy, 'script-src'))
  const styles = withoutIgnored(sourcesOf(policy, 'style-src'))
  if (scripts.has("'strict-dynamic'") && !hasNonceOrHash(scripts))
    return { result: 'csp-header-invalid', modifier: -25 }
  if (hasAny(scripts, [...BROAD, ...INLINE]) || hasAny(sourcesOf(policy, 'object-src'), BROAD))
    return { result: 'csp-implemented-with-unsafe-inline', modifier: -20 }
  const active = [...policy]
    .filter(([name]) => !PASSIVE.includes(name))
    .flatMap(([, sources]) => [...sources])
  if (isSecure(scanned) && active.some(isInsecure))
    return { result: 'csp-implemented-with-insecure-scheme', modifier: -20 }
  if (scripts.has("'unsafe-eval'") || styles.has("'unsafe-eval'"))
    return { result: 'csp-implemented-with-unsafe-eval', modifier: -10 }
  const passive = PASSIVE.flatMap((name) => [...(policy.get(name) ?? policy.get('default-src') ?? [])])
  if (isSecure(scanned) && passive.some(isInsecure))
    return { result: 'csp-implemented-with-insecure-scheme-in-passive-content-only', modifier: -10 }
  if (hasAny(styles, [...BROAD, ...INLINE]))
    return { result: 'csp-implemented-with-unsafe-inline-in-style-src-only', modifier: 0 }
  const defaults = policy.get('default-src')
  return defaults?.size === 1 && defaults.has("'none'")
    ? { result: 'csp-implemented-with-no-unsafe-default-src-none', modifier: 10 }
    : { result: 'csp-implemented-with-no-unsafe', modifier: 5 }
}

/** Whether it says who may put the page into a frame. */
export function namesFrameAncestors(scanned: Scanned): boolean {
  return policyOf(scanned).has('frame-ancestors')
}

function policyOf(scanned: Scanned): Policy {
  const directives = valuesOf(scanned, 'content-security-policy')
    .flatMap((value) => value.split(/[;,]/))
    .map((directive) => directive.trim().toLowerCase().split(/\s+/))
    .filter(([name]) => name !== '')
  return new Map(directives.reverse().map(([name = '', ...sources]) => [name, new Set(sources)]))
}

function sourcesOf(policy: Policy, name: string): ReadonlySet<string> {
  return policy.get(name) ?? policy.get('default-src') ?? ANYTHING
}

/** What browsers do not heed beside a nonce or a hash. */
function withoutIgnored(sources: ReadonlySet<string>): ReadonlySet<string> {
  if (!hasNonceOrHash(sources)) return sources
  const isDynamic = sources.has("'strict-dynamic'")
  const isIgnored = (source: string) =>
    source === "'unsafe-inline'" ||
    (isDynamic && (source === "'self'" || BROAD.some((broad) => source.startsWith(broad))))
  return new Set([...sources].filter((source) => !isIgnored(source)))
}

const hasNonceOrHash = (sources: ReadonlySet<string>) =>
  [...sources].some((source) => /^'(?:nonce|sha(?:256|384|512))-/.test(source))
const hasAny = (sources: ReadonlySet<string>, some: readonly string[]) => some.some((one) => sources.has(one))
const isInsecure = (source: string) => source.startsWith('http:') || source.startsWith('ftp:')
const isSecure = ({ url }: Scanned) => url.startsWith('https:')
