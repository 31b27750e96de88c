/** Longer addresses are nobody's links. */
const MAX_URL_LENGTH = 500
/** What a URL parser would make another address of: the injected request goes through one. */
const NOT_NORMAL = /[\\#]|\.\.|%2e|\/\.|\/\//i

/** A route whose page many share. */
export interface SharedRoute {
  /** The query parameters that the page reads: they make it another page. All others are ignored. */
  readonly parameters: readonly string[]
  /** They make it somebody's own page, which is never cached. */
  readonly personalParameters?: readonly string[]
  /** A parameter that it doesn't read, or that came twice, is refused instead of being ignored: such an address is never cached. */
  readonly isClosed?: boolean
  /** It also looks the same to all members with the same rights, but for placeholders (template.ts). */
  readonly isForMembers?: boolean
}

/**
 * The address that a shared page is cached by: with the parameters that it reads, in their order.
 * @returns null: the page at this address is not shared
 */
export function sharedUrl(url: string, page: SharedRoute): string | null {
  const start = url.indexOf('?')
  const [path, query] = start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start + 1)]
  const parts = query.split('&').map((part): [name: string, part: string] => [part.split('=')[0] ?? '', part])
  // An encoded name may be that of any parameter.
  const isPersonal = parts.some(([name]) => name.includes('%') || page.personalParameters?.includes(name))
  if (isPersonal) return null
  const names = parts.flatMap(([name, part]) => (part === '' ? [] : [name]))
  const isStrange =
    new Set(names).size < names.length || names.some((name) => !page.parameters.includes(name))
  if (page.isClosed === true && isStrange) return null
  const kept = page.parameters.flatMap((parameter) => {
    const [given, ...repeated] = parts.filter(([name]) => name === parameter)
    // A repeated or empty parameter counts as absent (web/params.ts).
    const isAbsent = given === undefined || repeated.length > 0 || given[1].length <= parameter.length + 1
    return isAbsent ? [] : [given[1]]
  })
  const shared = kept.length === 0 ? path : `${path}?${kept.join('&')}`
  return shared.length > MAX_URL_LENGTH || NOT_NORMAL.test(shared) ? null : shared
}
