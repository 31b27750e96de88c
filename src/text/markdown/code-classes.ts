/**
 * Our class for each of the highlighter's scopes, by the first part of its name (`title.class` is a title):
 * https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html. Other scopes stay plain.
 */
const CLASSES: Readonly<Record<string, string>> = {
  keyword: 'code-keyword',
  literal: 'code-keyword',
  name: 'code-keyword',
  'selector-tag': 'code-keyword',
  'template-tag': 'code-keyword',
  string: 'code-string',
  regexp: 'code-string',
  char: 'code-string',
  link: 'code-string',
  comment: 'code-comment',
  doctag: 'code-comment',
  quote: 'code-comment',
  type: 'code-type',
  built_in: 'code-type',
  'title class_': 'code-type',
  'selector-class': 'code-type',
  'selector-id': 'code-type',
  meta: 'code-annotation',
  'selector-pseudo': 'code-annotation',
  'selector-attr': 'code-annotation',
  number: 'code-number',
  symbol: 'code-number',
  bullet: 'code-number',
  attr: 'code-attribute',
  attribute: 'code-attribute',
  property: 'code-attribute',
  variable: 'code-variable',
  'template-variable': 'code-variable',
  section: 'code-section',
  addition: 'code-inserted',
  deletion: 'code-deleted',
}

/** All classes of highlighted code: for the allow-list and for the style sheet. */
export const codeClasses: readonly string[] = [...new Set(Object.values(CLASSES))]

/**
 * Replaces the highlighter's classes by ours. Spans are its only tags, text is escaped; spans of plain scopes are
 * removed.
 */
export function withOurClasses(html: string): string {
  const isShown: boolean[] = []
  return html.replace(/<span class="([^"]*)">|<\/span>/g, (_tag, names: string | undefined) => {
    if (names === undefined) return isShown.pop() === true ? '</span>' : ''
    const kind = names.replaceAll('hljs-', '')
    const ours = CLASSES[kind] ?? CLASSES[kind.split(' ', 1)[0] ?? '']
    isShown.push(ours !== undefined)
    return ours === undefined ? '' : `<span class="${ours}">`
  })
}
