import { Parser } from 'htmlparser2'

const COLOURS =
  'annotation attribute comment deleted inserted keyword number section string type variable'.split(' ')

const scrollable = { tabindex: /^0$/ }
const column = { class: /^column-(?:center|end)$/ }

/** A second, independent allow-list of a post's HTML. Values must match completely. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(
    'p br hr h3 h4 h5 h6 blockquote ul code em strong s table thead tbody tr label'
      .split(' ')
      .map((tag) => [tag, {}]),
  ),
  a: {
    href: /^(?:https?:\/\/[^/]|mailto:|\/(?![/\\])|#)[^\\\s]*$/i,
    rel: /^nofollow ugc noopener$/,
    title: /^/,
  },
  div: { ...scrollable, class: /^scroll$/, role: /^group$/, 'aria-label': /\S/ },
  input: { type: /^checkbox$/, disabled: /^$/, checked: /^$/ },
  li: { class: /^task-list-item$/ },
  ol: { start: /^\d+$/ },
  pre: scrollable,
  span: { class: new RegExp(`^code-(?:${COLOURS.join('|')})$`) },
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
