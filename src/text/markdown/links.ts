import type { MarkdownIt } from 'markdown-it'

/** Maximum length of a URL in running text: searching further for its end is not worth the time. */
const MAX_URL_LENGTH = 2048

/** Korean particles directly after a URL, "https://example.com/books에서", are not part of it. */
const PARTICLE =
  /(?<=[\w/=-])(?:은|는|이|가|을|를|에|에서|에는|의|와|과|도|만|로|으로|부터|까지|처럼|라고|이라고|입니다)$/

/** A URL with user information: `https://ours.example@evil.test/` leads to evil.test (RFC 3986, 7.6). */
const HAS_USER = /^https?:\/\/[^/?#]*@/i

/** The same in running text, from after the colon to the next white space; bounded, as it runs for each URL. */
const USER_IN_TEXT = /\/\/[^\s/?#<>@]{0,255}@[^\s<>]*/y

/**
 * Whether a URL may be linked: http(s) and mailto, paths of this site, fragments of the page. Others, including
 * relative ones (their target would depend on the page) and those with user information, stay text.
 */
export function isAllowedLink(address: string): boolean {
  return (
    /^(?:https?:\/\/[^/]|mailto:.|\/(?![/\\])|#)/i.test(address) &&
    !HAS_USER.test(address) &&
    !/[\p{Cc}\s\\]/u.test(address)
  )
}

/** An address of scp or a prompt, git@github.com:mina/books.git and mina@laptop.example:~$, is no mailbox. */
const NO_MAILBOX = /^(?!mailto:)(?:git@[^\s:]+:|[^\s:]+:\S)/i

/** Links only what isAllowedLink allows; in running text http://, https://, www. and e-mail addresses. */
export function allowLinks(markdown: MarkdownIt): void {
  markdown.validateLink = isAllowedLink
  const { linkify } = markdown
  const findEnd = (text: string, position: number) => {
    USER_IN_TEXT.lastIndex = position
    // Matches as a whole, for validateLink to refuse it: otherwise a part would still be linked.
    const refused = USER_IN_TEXT.exec(text)?.[0]
    if (refused !== undefined) return refused.length
    const pattern = linkify.re.get_http_validator()
    pattern.lastIndex = position
    return (pattern.exec(text)?.[0] ?? '').replace(PARTICLE, '').length
  }
  const web = {
    validate: (text: string, position: number) => findEnd(text.slice(0, position + MAX_URL_LENGTH), position),
  }
  const match = linkify.match.bind(linkify)
  linkify.match = (text) =>
    match(text)?.filter(
      ({ schema, index, lastIndex }) =>
        schema !== 'mailto:' || !NO_MAILBOX.test(text.slice(index, lastIndex + 2)),
    ) ?? null
  linkify
    .add('ftp:', null)
    .add('//', null)
    .add('http:', web)
    .add('https:', web)
    .add('www.', {
      validate: (text, position) => {
        const rest = text.slice(position, position + MAX_URL_LENGTH)
        // markdown-it takes the typed prefix before :// for the scheme, and would drop the added http://.
        if (/^[\w.+-]*:\/\//.test(rest)) return 0
        return Math.max(0, findEnd(`//www.${rest}`, 0) - '//www.'.length)
      },
      normalize: (match) => {
        match.url = `http://${match.url}`
      },
    })
}
