import { SaxesParser } from 'saxes'
import { escaped } from '../source-fields.ts'

/** The HTML of a text of Ed, and how many of what the forum has no equivalent of were in it. */
interface EdHtml {
  readonly html: string
  /** Files that Ed gives to those who are signed in there. */
  readonly files: number
  readonly spoilers: number
}

/** In which a file is part of a line. */
const LINES = new Set(['paragraph', 'heading', 'list-item', 'link', 'bold', 'italic', 'underline'])

/** Elements with the same one in HTML, whatever their attributes. */
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      bold: 'strong',
      italic: 'em',
      code: 'code',
      spoiler: 'blockquote',
      callout: 'blockquote',
      figure: 'p',
    },
    ...{ 'list-item': 'li' },
  } as const),
)

type Attributes = Readonly<Record<string, string>>

/** @returns null: it is not well-formed. A DOCTYPE, whose entities may be hostile, is refused as well */
export function edHtml(xml: string): EdHtml | null {
  const reader = new DocumentReader()
  return reader.read(xml) ? reader : null
}

class DocumentReader implements EdHtml {
  files = 0
  spoilers = 0
  readonly #parts: string[] = []
  /** What is open, with what closes it in HTML and how many elements it has had. */
  readonly #open: { readonly name: string; readonly close: string; children: number }[] = []
  /** How many elements of code or formulas are open: nothing in them is markup. */
  #verbatim = 0

  get html(): string {
    return this.#parts.join('')
  }

  read(xml: string): boolean {
    const parser = new SaxesParser()
    parser.on('error', (error) => {
      throw error
    })
    parser.on('doctype', () => {
      throw new NotWellFormed()
    })
    parser.on('opentag', ({ name, attributes }) => this.#begin(name, attributes as Attributes))
    parser.on('closetag', () => this.#end())
    parser.on('text', (text) => this.#parts.push(escaped(text)))
    parser.on('cdata', (text) => this.#parts.push(escaped(text)))
    try {
      parser.write(xml).close()
      return true
    } catch {
      return false
    }
  }

  #begin(name: string, attributes: Attributes): void {
    const [open, close] = this.#verbatim > 0 ? ['', ''] : this.#tags(name, attributes)
    if (this.#verbatim > 0 || VERBATIM.has(name)) this.#verbatim += 1
    const above = this.#open.at(-1)
    if (above !== undefined) above.children += 1
    this.#parts.push(open)
    this.#open.push({ name, close, children: 0 })
  }

  #end(): void {
    if (this.#verbatim > 0) this.#verbatim -= 1
    this.#parts.push(this.#open.pop()?.close ?? '')
  }

  /** What opens and closes an element. One that isn't known is its words. */
  #tags(name: string, attributes: Attributes): readonly [string, string] {
    const same = SAME.get(name)
    if (name === 'spoiler') this.spoilers += 1
    if (same !== undefined) return [`<${same}>`, `</${same}>`]
    if (name === 'heading') return around(`h${/^[1-6]$/.exec(attributes.level ?? '')?.[0] ?? 3}`)
    if (name === 'paragraph') return this.#isFirstOfItem() ? ['', ''] : around('p')
    if (name === 'list') return around(/^(?:number|ordered)/.test(attributes.style ?? '') ? 'ol' : 'ul')
    if (name === 'link') return [`<a href="${escaped(attributes.href ?? '')}">`, '</a>']
    if (name === 'math') return ['\\(', '\\)']
    if (name === 'break') return ['<br>', '']
    if (name === 'pre' || name === 'snippet') return this.#code(attributes.language)
    if (name === 'image')
      return [`<img src="${escaped(attributes.src ?? '')}" alt="${escaped(attributes.alt ?? '')}">`, '']
    return name === 'file' ? this.#file(attributes) : ['', '']
  }

  #code(language = ''): readonly [string, string] {
    const known = /^[\w+#.-]{1,40}$/.test(language) ? ` class="lang-${language}"` : ''
    return [`<pre${known}><code>`, '</code></pre>']
  }

  #file({ url = '', filename = '' }: Attributes): readonly [string, string] {
    this.files += 1
    const name =
      filename ||
      url
        .replace(/[?#].*$/, '')
        .split('/')
        .at(-1) ||
      url
    const link = `<a href="${escaped(url)}">${escaped(name)}</a>`
    return [LINES.has(this.#open.at(-1)?.name ?? '') ? link : `<p>${link}</p>`, '']
  }

  /** An item that is one paragraph is a line of its list. */
  #isFirstOfItem(): boolean {
    const above = this.#open.at(-1)
    return above?.name === 'list-item' && above.children === 0
  }
}

const VERBATIM = new Set(['pre', 'snippet', 'math', 'code'])

const around = (tag: string): readonly [string, string] => [`<${tag}>`, `</${tag}>`]

class NotWellFormed extends Error {}
