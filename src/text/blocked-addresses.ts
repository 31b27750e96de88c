import { domainToASCII } from 'node:url'
import { isLike } from './words/blocked-words.ts'

const DOMAIN = /^(?:[a-z0-9_-]+\.)+[a-z0-9-]+$/
const EMAIL = /^(?:[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@)?(?:[a-z0-9*-]+\.)+[a-z0-9*-]+$/
/** Of a domain: an entry of a list has no more. */
const MOST_LABELS = 32

/** The domain of an entry for links, in ASCII: typed, with `*.` before it, or of an address that was pasted; null: it is none. */
export function blockedDomain(typed: string): string | null {
  const address = `http://${typed.replace(/^(?:https?:)?\/\//i, '')}`
  if (!typed.includes('.') || !URL.canParse(address)) return null
  const { hostname, username } = new URL(address)
  const domain = hostname.replace(/^\*\./, '').replace(/\.$/, '')
  return username === '' && DOMAIN.test(domain) ? domain : null
}

/** An entry for sign-up addresses, as addresses are stored: `someone@example.com`, or `example.com`, also of `@example.com`; null: it is none. */
export function blockedEmail(typed: string): string | null {
  const parts = typed.normalize('NFKC').toLowerCase().replace(/^@/, '').split('@')
  const entry = [...parts.slice(0, -1), domainToASCII(parts.at(-1) ?? '')].join('@')
  const letters = entry.match(/[a-z0-9]/g)?.length ?? 0
  return letters >= 2 && EMAIL.test(entry) ? entry : null
}

/** Makes a test whether one of these domains has a host, with or without a port, or is above it. */
export function domainFinder(entries: readonly string[]): (host: string) => boolean {
  const domains = new Set(entries)
  return (host) => domainsAbove(host.replace(/:\d+$/, '').replace(/\.$/, '')).some((one) => domains.has(one))
}

/** Makes a test whether an address is one of these, or of one of these domains. `*` stands for any characters but @. */
export function emailFinder(entries: readonly string[]): (email: string) => boolean {
  const plain = new Set(entries.filter((entry) => !entry.includes('*')))
  const patterns = entries
    .filter((entry) => entry.includes('*'))
    .map((entry) => {
      const [domain = '', local = null] = entry.split('@').reverse()
      return { local: local?.split(/\*+/) ?? null, domain: domain.split(/\*+/) }
    })
  return (email) => {
    const at = email.lastIndexOf('@')
    const [local, host] = [email.slice(0, at), email.slice(at + 1)]
    const domains = domainsAbove(host)
    return (
      plain.has(email) ||
      domains.some((domain) => plain.has(domain)) ||
      patterns.some((pattern) =>
        pattern.local === null
          ? domains.some((domain) => isLike(domain, pattern.domain))
          : isLike(local, pattern.local) && isLike(host, pattern.domain),
      )
    )
  }
}

/** A host and the domains above it. */
function domainsAbove(host: string): string[] {
  const labels = host.split('.').slice(-MOST_LABELS)
  return labels.map((_, at) => labels.slice(at).join('.'))
}
