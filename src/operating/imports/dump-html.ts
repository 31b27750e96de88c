import sanitizeHtml from 'sanitize-html'

/** Maximum nesting: deeper tags are removed and their words kept, so that recursion over the tree is bounded. */
const MAX_DEPTH = 60

/** A syntax highlighting hint, as in older posts: `<!-- language: lang-java -->` before the block. */
const LANGUAGE_HINT = /<!--\s*language(?:-all)?:\s*(?:lang-)?([\w+#.-]{1,40})\s*-->\s*<pre\b[^>]*>/g

/** White space that HTML keeps, in such a row that looking for its end takes long. */
const LONG_SPACE = /(?:[ \t]*[^\S \t\r\n]){100,}/g

const TAGS = `p div br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li dl dt dd pre code kbd em strong s sub sup a img
  table thead tbody tr th td`

const options: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(/\s+/),
  allowedAttributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'title'],
    ol: ['start'],
    pre: ['class'],
    code: ['class'],
    th: ['style'],
    td: ['style'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'ftp'],
  parseStyleAttributes: false,
  nestingLimit: MAX_DEPTH,
  transformTags: { b: 'strong', i: 'em', strike: 's', del: 's' },
}

/**
 * Normalizes HTML of a dump: only the tags a post can have, closed and in lower case; `&`, `<`, `>` and `"` as
 * references, all other characters as they are.
 */
export function readDumpHtml(html: string): string {
  const clean = sanitizeHtml(html.replace(LANGUAGE_HINT, '<pre class="lang-$1">'), options)
  return clean.replace(LONG_SPACE, ' ')
}

const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"' } as const),
)

/** Decodes the references of such HTML, and the numeric ones of our renderer. */
export function decodeText(text: string): string {
  return text.replace(
    /&(?:#(\d{1,6})|(\w+));/g,
    (reference, number: string | undefined, name: string | undefined) =>
      number === undefined ? (CHARACTERS.get(name ?? '') ?? reference) : String.fromCodePoint(Number(number)),
  )
}
