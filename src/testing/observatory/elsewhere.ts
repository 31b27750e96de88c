import { DomUtils, parseDocument } from 'htmlparser2'
import { firstOf, type Scanned, type Verdict } from './scan.ts'

/** Where plain http leads: src/analyzer/tests/redirection.js of mdn/mdn-http-observatory. */
export function redirectionRule({ fromHttp }: Scanned): Verdict {
  if (fromHttp === null) return { result: 'redirection-not-needed-no-http', modifier: 0 }
  const [first, second, ...more] = fromHttp.map((address) => new URL(address))
  if (second === undefined) return { result: 'redirection-missing', modifier: -20 }
  if ((more.at(-1) ?? second).protocol !== 'https:')
    return { result: 'redirection-not-to-https', modifier: -20 }
  if (second.protocol === 'http:')
    return { result: 'redirection-not-to-https-on-initial-redirection', modifier: -10 }
  return first?.hostname === second.hostname
    ? { result: 'redirection-to-https', modifier: 0 }
    : { result: 'redirection-off-host-from-http', modifier: -5 }
}

/** From the best to the worst: of all scripts the worst counts. */
const SCRIPTS = [
  { result: 'sri-implemented-and-all-scripts-loaded-securely', modifier: 5 },
  { result: 'sri-implemented-and-external-scripts-loaded-securely', modifier: 5 },
  { result: 'sri-not-implemented-but-all-scripts-loaded-from-secure-origin', modifier: 0 },
  { result: 'sri-not-implemented-but-external-scripts-loaded-securely', modifier: -5 },
  { result: 'sri-implemented-but-external-scripts-not-loaded-securely', modifier: -20 },
  { result: 'sri-not-implemented-and-external-scripts-not-loaded-securely', modifier: -50 },
] as const satisfies readonly Verdict[]

/** Subresource integrity: src/analyzer/tests/subresource-integrity.js. Ours and our subdomains' are one site here. */
export function integrityRule(scanned: Scanned): Verdict {
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/.test(firstOf(scanned, 'content-type') ?? 'text/html'))
    return { result: 'sri-not-implemented-response-not-html', modifier: 0 }
  const scripts = DomUtils.getElementsByTagName('script', parseDocument(scanned.body), true)
  if (scripts.length === 0) return { result: 'sri-not-implemented-but-no-scripts-loaded', modifier: 0 }
  const loaded = scripts.flatMap(({ attribs }) =>
    attribs.src === undefined ? [] : rankOf(attribs.src, attribs.integrity !== undefined, scanned.url),
  )
  const worst = Math.max(...loaded.filter((rank) => rank > 2))
  // One script of ours with a hash is enough for the bonus, as long as no foreign one is worse.
  const rank = worst > 2 ? worst : loaded.includes(1) ? 1 : loaded.includes(0) ? 0 : 2
  return SCRIPTS[rank] ?? SCRIPTS[5]
}

/** Where a script stands in SCRIPTS. */
function rankOf(source: string, hasHash: boolean, page: string): number {
  const isRelative = !/^(?:https?:)?\/\//.test(source)
  const url = new URL(source, page)
  const isOurs = isRelative || (!source.startsWith('//') && url.hostname.endsWith(new URL(page).hostname))
  if (isOurs) return hasHash && url.protocol === 'https:' ? 0 : 2
  // Without a scheme of its own a script may come by http one day.
  const isSecure = source.startsWith('https:')
  if (isSecure) return hasHash ? 1 : 3
  return hasHash ? 4 : 5
}
