import { ElementType, parseDocument } from 'htmlparser2'
import type { Answer } from './side.ts'

type AnyNode = ReturnType<typeof parseDocument>['children'][number]

/** Between these, white space is a space on the page; at the edges of all other elements it isn't seen. */
const INLINE =
  /^(a|abbr|b|bdi|button|cite|code|del|em|i|img|input|ins|kbd|label|mark|q|s|small|span|strong|sub|sup|time|u|var)$/
/** In these, every blank counts. */
const LITERAL = /^(pre|textarea|script|style)$/
/** Headers that say nothing of what is answered. */
const OF_THE_MOMENT = /^(date|etag|content-length|set-cookie|last-modified|x-request-id)$/

/** What differs in every answer: request ids, tokens, hashes of assets, times to the second. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  [/(name="_csrf" value=")[^"]*/g, '$1CSRF'],
  [/(csrf[^"]*" content=")[^"]*/g, '$1CSRF'],
  [/nonce-[\w+/=-]+/g, 'NONCE'],
  [/(\/assets\/[\w.-]+?)[.-][\w-]{8,}(\.\w+)/g, '$1$2'],
  [/(\d{4}-\d\d-\d\d[T ]\d\d:\d\d):\d\d(\.\d+)?(Z|\+00)?/g, '$1'],
  [/(data-push="|"challenge":")[\w-]+/g, '$1KEY'],
  [/(\.backup\.)\d+/g, '$1PID'],
  [/\b\d+ ?(s|min|h|d)\b|\b\d+ (second|minute|hour)s?( ago)?\b|\d+(초|분|시간) 전/g, 'AGE'],
  [/(since=|[?&](?:v|cursor|after|before)=)[\w.%-]+/g, '$1…'],
  [/((?:token|unsubscribe|link|join)[/=])[\w.%-]{16,}/g, '$1…'],
]

/** What an answer shows, a line for each element and text, so that two can be compared. */
export function shownBy({ status, headers, body }: Answer): string[] {
  const type = String(headers['content-type'] ?? '')
  const kept = Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.test(name))
  const lines = [`status ${status}`, ...kept.map(([name, value]) => `${name}: ${value}`).sort()]
  return [...lines, ...shownText(body, type.startsWith('text/html'))].map(steady)
}

/** The same of a text alone: an email, a push, a page of docs. */
export function shownText(text: string, isHtml: boolean): string[] {
  const steadied = steady(text)
  return isHtml ? linesOf(parseDocument(steadied).children, false) : steadied.split('\n')
}

function steady(text: string): string {
  return CHANGING.reduce((so, [pattern, by]) => so.replace(pattern, by), text)
}

function linesOf(nodes: readonly AnyNode[], isLiteral: boolean): string[] {
  return nodes.flatMap((node, at) => {
    if (node.type === ElementType.Text) {
      if (isLiteral) return [JSON.stringify(node.data)]
      const text = node.data.replace(/[ \t\r\n]+/g, ' ')
      const begin = isEdge(nodes[at - 1], node.parent) ? text.trimStart() : text
      const shown = isEdge(nodes[at + 1], node.parent) ? begin.trimEnd() : begin
      return shown === '' ? [] : [JSON.stringify(shown)]
    }
    if (!('attribs' in node)) return 'children' in node ? linesOf(node.children, isLiteral) : []
    const attributes = Object.entries(node.attribs)
      .map(([name, value]) => ` ${name}="${name === 'class' ? value.trim().replace(/\s+/g, ' ') : value}"`)
      .sort()
    const inside = linesOf(node.children, isLiteral || LITERAL.test(node.name))
    return [`<${node.name}${attributes.join('')}>`, ...inside.map((line) => ` ${line}`), `</${node.name}>`]
  })
}

function isEdge(neighbour: AnyNode | undefined, parent: AnyNode['parent']): boolean {
  const edge = neighbour ?? parent
  return edge === null || !('attribs' in edge) || !INLINE.test(edge.name)
}
