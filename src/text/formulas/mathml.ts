import temml from 'temml'

/** Macros a formula may expand: a bomb stops here. */
const MAX_EXPANSIONS = 300
/** Maximum sizes, in em and in points: nothing covers the page. */
const MAX_SIZE: [number, number] = [30, 300]
/** Maximum nesting of elements in a formula; browsers give up at some 500. */
const MAX_DEPTH = 60

/** Definitions would let a short formula become a long one, and have no effect beyond it. */
const DEFINITION =
  /\\(?:[egx]?def|let|futurelet|(?:re|provide)?newcommand|renewcommand|providecommand|global|long)(?![A-Za-z])/
/** Loads what temml has anyway. */
const REQUIRE = /\\require\s*\{[^{}]*\}/g

const TAG = /<(\/?)(\w+)((?: [\w-]+="[^"]*")*)>/g

/** TeX as MathML with our classes and its source; null: no formula, or it expands or nests too far. */
export function mathmlOf(tex: string, isDisplay: boolean): string | null {
  if (DEFINITION.test(tex)) return null
  try {
    const markup = temml.renderToString(tex.replace(REQUIRE, ''), {
      displayMode: isDisplay,
      throwOnError: true,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE,
      macros: { '\\mbox': '\\text' },
    })
    return annotated(withOurAttributes(markup), tex, isDisplay)
  } catch {
    // Not only its ParseErrors: 20,000 braces end in a RangeError.
    return null
  }
}

/** @throws RangeError for elements that nest too deep */
function withOurAttributes(markup: string): string {
  let depth = 0
  return markup.replace(TAG, (_tag, slash: string, name: string, attributes: string) => {
    depth += slash === '' ? 1 : -1
    if (depth > MAX_DEPTH) throw new RangeError('elements nest too deep')
    return `<${slash}${name}${slash === '' ? ours(attributes) : ''}>`
  })
}

function ours(attributes: string): string {
  let others = ''
  let names: string[] = []
  for (const [attribute, name, value = ''] of attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)) {
    if (name === 'class') names = [...names, ...value.split(' ')]
    else if (name === 'style') {
      const { classes, colour } = withoutStyle(value)
      names = [...names, ...classes]
      if (colour !== null) others += ` mathcolor="${colour}"`
    } else others += attribute
  }
  return names.length === 0 ? others : `${others} class="${names.join(' ')}"`
}

/** With its source, for those who copy it, search it or read it without MathML. */
function annotated(markup: string, tex: string, isDisplay: boolean): string {
  const body = markup.replace(/^<math[^>]*>|<\/math>$/g, '')
  const source = tex.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const annotation = `<annotation encoding="application/x-tex">${source}</annotation>`
  const display = isDisplay ? ' display="block"' : ''
  return `<math${display}><semantics><mrow>${body}</mrow>${annotation}</semantics></math>`
}

/** Our class for each declaration of style that temml writes: the page's policy allows no style attributes. */
const CLASSES: Readonly<Record<string, string>> = {
  'width:100%': 'math-full',
  'width:50%': 'math-half',
  'padding:0': 'math-flush',
  'padding-left:0': 'math-start-0',
  'padding-right:0': 'math-end-0',
  'padding-left:1em': 'math-start-1',
  'padding-right:1em': 'math-end-1',
  'margin-left:-0.1667em': 'math-back',
  'position:relative': 'math-base',
  'position:absolute': 'math-lap',
  'font-weight:bold': 'math-bold',
  'font-style:italic': 'math-italic',
  'border:1px solid': 'math-box',
  'math-depth:0': 'math-depth-0',
  'math-depth:2': 'math-depth-2',
}

const SIDES: Readonly<Record<string, string>> = {
  top: 'math-over',
  bottom: 'math-under',
  left: 'math-before',
  right: 'math-after',
}

const BORDER = /^border-(top|bottom|left|right):[\d.]+em (solid|dashed|double)$/

/** A style attribute as classes and, for a colour, an attribute of MathML. What has no class goes. */
function withoutStyle(style: string): { readonly classes: string[]; readonly colour: string | null } {
  const classes: string[] = []
  let colour: string | null = null
  for (const declaration of style.split(';')) {
    const [, side = '', line = ''] = BORDER.exec(declaration) ?? []
    const name =
      CLASSES[declaration.replace(/:0(?:em|pt)$/, ':0')] ?? (side === '' ? null : `${SIDES[side]}-${line}`)
    if (name !== null) classes.push(name)
    if (declaration.startsWith('color:')) colour = declaration.slice('color:'.length)
  }
  return { classes, colour }
}
