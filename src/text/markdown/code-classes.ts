/**
 * Our classes, each with the scopes of the highlighter that get it, by the first part of their names
 * (`title.class` is a title): https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html. Other
 * scopes stay plain.
 */
const SCOPES = {
  'code-keyword': ['keyword', 'literal', 'name', 'selector-tag', 'template-tag'],
  'code-string': ['string', 'regexp', 'char', 'link'],
  'code-comment': ['comment', 'doctag', 'quote'],
  'code-type': ['type', 'built_in', 'title class_', 'selector-class', 'selector-id'],
  'code-annotation': ['meta', 'selector-pseudo', 'selector-attr'],
  'code-number': ['number', 'symbol', 'bullet'],
  'code-attribute': ['attr', 'attribute', 'property'],
  'code-variable': ['variable', 'template-variable'],
  'code-section': ['section'],
  'code-inserted': ['addition'],
  'code-deleted': ['deletion'],
}
const CLASSES = new Map(
  Object.entries(SCOPES).flatMap(([ours, scopes]) => scopes.map((scope) => [scope, ours] as const)),
)

/** All classes of highlighted code: for the allow-list and for the style sheet. */
export const codeClasses: readonly string[] = Object.keys(SCOPES)

/**
 * Replaces the highlighter's classes by ours; spans of plain scopes are removed. The highlighter writes no
 * tags but spans, and escapes text.
 */
export function withOurClasses(html: string): string {
  const isShown: boolean[] = []
  return html.replace(/<span class="([^"]*)">|<\/span>/g, (_tag, names: string | undefined) => {
    if (names === undefined) return isShown.pop() === true ? '</span>' : ''
    const kind = names.replaceAll('hljs-', '')
    const ours = CLASSES.get(kind) ?? CLASSES.get(kind.split(' ', 1)[0] ?? '')
    isShown.push(ours !== undefined)
    return ours === undefined ? '' : `<span class="${ours}">`
  })
}
