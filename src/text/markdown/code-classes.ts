/**
 * Our class for each kind of word the highlighter tells apart, by the first part of its name (`title.class`
 * is a title): https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html. Kinds that are not
 * here stay plain.
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

/** The classes code may have: for the allow-list and for the style sheet. */
export const codeClasses: readonly string[] = [...new Set(Object.values(CLASSES))]

/**
 * The highlighter's HTML with our classes. Spans are its only tags, text comes escaped; spans of kinds that
 * stay plain go.
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
