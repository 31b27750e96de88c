/**
 * Elements, attributes and classes of formulas: MathML Core and what temml writes; nothing that loads, links
 * or runs.
 */
const LENGTH = /^[+-]?\d{0,3}(?:\.\d{1,4})?(?:em|ex|pt|px|%|width)?$/
const COLOUR = /^(?:#[\da-f]{3,6}|[a-z]{3,20})$/i
const YES_OR_NO = /^(?:true|false)$/

const EVERYWHERE: Readonly<Record<string, RegExp>> = {
  mathcolor: COLOUR,
  mathbackground: COLOUR,
  mathsize: LENGTH,
  displaystyle: YES_OR_NO,
  scriptlevel: /^[0-3]$/,
}

const SPACE = { width: LENGTH, height: LENGTH, depth: LENGTH }

/** Elements that have only the attributes that all may have. */
const PLAIN =
  `semantics mmultiscripts mn mphantom mprescripts mroot mrow msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover
  none`.split(/\s+/)

/** Attributes of each other element, beside those. */
const ELEMENTS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  math: { display: /^block$/ },
  annotation: { encoding: /^application\/x-tex$/ },
  menclose: { notation: /^[a-z ]{1,40}$/ },
  mfrac: { linethickness: LENGTH },
  mi: { mathvariant: /^normal$/ },
  mo: {
    ...{ stretchy: YES_OR_NO, fence: YES_OR_NO, separator: YES_OR_NO, symmetric: YES_OR_NO },
    ...{ largeop: YES_OR_NO, movablelimits: YES_OR_NO, accent: YES_OR_NO },
    ...{ lspace: LENGTH, rspace: LENGTH, minsize: LENGTH, maxsize: LENGTH },
    form: /^(?:prefix|infix|postfix)$/,
  },
  mover: { accent: YES_OR_NO },
  mpadded: { ...SPACE, lspace: LENGTH, voffset: LENGTH },
  mspace: SPACE,
}

/** Classes of formulas; public/css/components/formula.css gives each its look. */
export const formulaClasses: readonly string[] = [
  ...['tml-left', 'tml-right', 'tml-jot', 'tml-small', 'tml-overline', 'tml-underline', 'tml-fbox'],
  ...['tml-cancel', 'tml-xcancel', 'upstrike', 'downstrike', 'sout', 'special-fraction'],
  ...['math-full', 'math-half', 'math-flush', 'math-start-0', 'math-end-0', 'math-start-1', 'math-end-1'],
  ...['math-back', 'math-base', 'math-lap', 'math-bold', 'math-italic', 'math-box'],
  ...['math-depth-0', 'math-depth-2'],
  ...['math-over', 'math-under', 'math-before', 'math-after'].flatMap((side) =>
    ['solid', 'dashed', 'double'].map((line) => `${side}-${line}`),
  ),
]

export const formulaElements: readonly string[] = [...Object.keys(ELEMENTS), ...PLAIN]

/** The attributes of an element of a formula that are allowed, by name and value. */
export function formulaAttributes(
  element: string,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = ELEMENTS[element] ?? {}
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => {
      if (name === 'class') return true
      const pattern = own[name] ?? EVERYWHERE[name]
      return pattern?.test(value) === true
    }),
  )
}

/** Names of all attributes that an element of a formula may have. */
export function formulaAttributeNames(element: string): string[] {
  return [...Object.keys(ELEMENTS[element] ?? {}), ...Object.keys(EVERYWHERE)]
}
