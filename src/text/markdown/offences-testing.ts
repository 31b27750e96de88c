import { Parser } from 'htmlparser2'

const COLOURS =
  'annotation attribute comment deleted inserted keyword number section string type variable'.split(' ')

const scrollable = { tabindex: /^0$/ }
const column = { class: /^column-(?:center|end)$/ }

const flag = /^(?:true|false)$/
const size = /^[-+]?[\d.]+(?:em|ex|pt|px|%|width)?$/
const formula = {
  class: /^(?:(?:tml|math)-[a-z0-9-]+|upstrike|downstrike|sout|special-fraction| )+$/,
  mathcolor: /^(?:#[0-9a-f]{3,6}|[a-z]+)$/i,
  mathbackground: /^(?:#[0-9a-f]{3,6}|[a-z]+)$/i,
  mathsize: size,
  displaystyle: flag,
  scriptlevel: /^\d$/,
}
const sized = {
  ...formula,
  width: size,
  height: size,
  depth: size,
  lspace: size,
  rspace: size,
  voffset: size,
}

/** A second, independent allow-list of a post's HTML. Values must match completely. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(
    'p br hr h3 h4 h5 h6 blockquote ul em strong s table thead tbody tr label'
      .split(' ')
      .map((tag) => [tag, {}]),
  ),
  ...Object.fromEntries(
    'menclose mfrac mi mmultiscripts mn mover mphantom mprescripts mroot mrow msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'
      .split(' ')
      .map((tag) => [tag, formula]),
  ),
  annotation: { encoding: /^application\/x-tex$/ },
  menclose: { ...formula, notation: /^[a-z ]+$/ },
  mfrac: { ...formula, linethickness: size },
  mi: { ...formula, mathvariant: /^normal$/ },
  mo: {
    ...sized,
    ...{ stretchy: flag, fence: flag, separator: flag, symmetric: flag, largeop: flag, movablelimits: flag },
    ...{ accent: flag, form: /^(?:pre|in|post)fix$/, minsize: size, maxsize: size },
  },
  mover: { ...formula, accent: flag },
  mpadded: sized,
  mspace: sized,
  a: {
    href: /^(?:https?:\/\/[^/]|mailto:|\/(?![/\\])|#)[^\\\s]*$/i,
    rel: /^nofollow ugc noopener$/,
    title: /^/,
  },
  div: { ...scrollable, class: /^scroll$/, role: /^group$/, 'aria-label': /\S/ },
  img: {
    src: /^\/uploads\/[\w-]{22}-\d{1,5}x\d{1,5}$/,
    ...{ alt: /^/, width: /^\d{1,5}$/, height: /^\d{1,5}$/, loading: /^lazy$/, decoding: /^async$/ },
  },
  input: { type: /^checkbox$/, disabled: /^$/, checked: /^$/ },
  code: { class: /^numbered$/ },
  details: { class: /^fold(?: tall)?$/ },
  summary: {},
  mark: { class: /^line$/ },
  li: { class: /^task-list-item$/ },
  math: { ...formula, display: /^block$/ },
  ol: { start: /^\d+$/ },
  pre: scrollable,
  span: { ...scrollable, class: new RegExp(`^(?:formula|line|code-(?:${COLOURS.join('|')}))$`) },
  td: column,
  th: { ...column, scope: /^col$/ },
}

/** All violations in a post's HTML: elements, attributes, values, nested links, links without rel. */
export function offencesIn(html: string): string[] {
  const offences: string[] = []
  let openLinks = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      offences.push(...offencesOf(name, attributes))
      if (name === 'a' && ++openLinks > 1) offences.push('a link in a link')
    },
    onclosetag(name) {
      if (name === 'a') openLinks -= 1
    },
    oncomment: (words) => offences.push(`comment ${words}`),
    onprocessinginstruction: (name) => offences.push(`instruction ${name}`),
  })
  parser.end(html)
  return offences
}

function offencesOf(name: string, attributes: Readonly<Record<string, string>>): string[] {
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined
  if (allowed === undefined) return [`element ${name}`]
  const offences = Object.entries(attributes)
    .filter(([attribute, value]) => !(Object.hasOwn(allowed, attribute) && allowed[attribute]?.test(value)))
    .map(([attribute, value]) => `${name} ${attribute}=${value}`)
  if (attributes.href !== undefined && attributes.rel === undefined) offences.push('a link without rel')
  if (name === 'input' && attributes.disabled === undefined) offences.push('a box that can be changed')
  return offences
}
