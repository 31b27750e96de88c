import type { MarkdownIt } from 'markdown-it'

/** Longest address found in running text: beyond it, looking for its end is not worth the time. */
const LONGEST = 2048

/** Korean particles written right behind an address, "https://example.com/books에서": words, not part of it. */
const PARTICLE =
  /(?<=[\w/=-])(?:은|는|이|가|을|를|에|에서|에는|의|와|과|도|만|로|으로|부터|까지|처럼|라고|이라고|입니다)$/

/**
 * Whether an address may be linked: http(s) and mailto, paths of this site, places in the page. Others,
 * relative ones among them (they would lead elsewhere from each page), stay text.
 */
export function isAllowedLink(address: string): boolean {
  return /^(?:https?:\/\/[^/]|mailto:.|\/(?![/\\])|#)/i.test(address) && !/[\p{Cc}\s\\]/u.test(address)
}

/**
 * Links only what isAllowedLink allows; in running text what begins with http://, https:// or www., and
 * e-mail addresses.
 */
export function allowLinks(markdown: MarkdownIt): void {
  markdown.validateLink = isAllowedLink
  const { linkify } = markdown
  const findEnd = (text: string, position: number) => {
    const pattern = linkify.re.get_http_validator()
    pattern.lastIndex = position
    return (pattern.exec(text)?.[0] ?? '').replace(PARTICLE, '').length
  }
  const web = {
    validate: (text: string, position: number) => findEnd(text.slice(0, position + LONGEST), position),
  }
  linkify
    .add('ftp:', null)
    .add('//', null)
    .add('http:', web)
    .add('https:', web)
    .add('www.', {
      validate: (text, position) => {
        const rest = text.slice(position, position + LONGEST)
        // markdown-it takes what stands before :// for an address as it is typed, and would lose what http:// adds.
        if (/^[\w.+-]*:\/\//.test(rest)) return 0
        return Math.max(0, findEnd(`//www.${rest}`, 0) - '//www.'.length)
      },
      normalize: (match) => {
        match.url = `http://${match.url}`
      },
    })
}
