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
export function withoutStyle(style: string): { readonly classes: string[]; readonly colour: string | null } {
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
