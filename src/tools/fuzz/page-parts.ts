import { DomUtils, parseDocument } from 'htmlparser2'

type Document = ReturnType<typeof parseDocument>
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number]

/** A control of a form, by its name. */
export interface FoundField {
  readonly name: string
  readonly kind: 'hidden' | 'choice' | 'text' | 'date' | 'file'
  /** Its default value. */
  readonly value: string
  /** The options of a select or radio group. */
  readonly options: readonly string[]
}

export interface FoundForm {
  readonly method: 'GET' | 'POST'
  /** An internal path, perhaps with a query. */
  readonly action: string
  /** Whether it is sent as multipart/form-data, as files are. */
  readonly isMultipart: boolean
  readonly fields: readonly FoundField[]
}

/** The links and forms of a page. */
export interface PageParts {
  /** Internal paths, without fragments. */
  readonly links: readonly string[]
  readonly forms: readonly FoundForm[]
  /** Elements and attributes that no template writes: typed text that became markup. */
  readonly intruders: readonly string[]
}

const CONTROLS = ['input', 'textarea', 'select', 'button']

/**
 * Parses a page.
 * @param path of the page: the target of forms without an action
 */
export function partsOf(html: string, path: string): PageParts {
  const document = parseDocument(html)
  const links = elements(document, 'a', 'link').flatMap(({ attribs }) => ownPath(attribs.href, path) ?? [])
  return {
    links: [...new Set(links)],
    forms: elements(document, 'form').flatMap((form) => formsIn(form, path)),
    intruders: DomUtils.filter((node) => 'attribs' in node && isIntruder(node as Element), document).map(
      (node) => DomUtils.getOuterHTML(node).slice(0, 200),
    ),
  }
}

/** A form, and a copy for each button that submits it elsewhere. */
function formsIn(form: Element, path: string): FoundForm[] {
  const controls = elements(form, ...CONTROLS)
  const method = form.attribs.method?.toLowerCase() === 'post' ? 'POST' : 'GET'
  const targets = [
    { action: form.attribs.action, encoding: form.attribs.enctype },
    ...controls.flatMap(({ attribs }) =>
      attribs.formaction === undefined ? [] : [{ action: attribs.formaction, encoding: attribs.formenctype }],
    ),
  ]
  const fields = controls.flatMap(fieldOf)
  return targets.flatMap(({ action, encoding }) => {
    const own = ownPath(action ?? path, path)
    const isMultipart = encoding === 'multipart/form-data'
    // Of a file any other form sends the name, which no script of ours reads.
    const sent = isMultipart ? fields : fields.filter(({ kind }) => kind !== 'file')
    return own === null ? [] : [{ method, action: own, isMultipart, fields: sent }]
  })
}

function fieldOf(control: Element): FoundField[] {
  const { name, type = '', value = '' } = control.attribs
  if (name === undefined) return []
  if (control.name === 'select') {
    const options = elements(control, 'option')
    const values = options.map((option) => option.attribs.value ?? DomUtils.textContent(option))
    const selected = options.findIndex(({ attribs }) => attribs.selected !== undefined)
    return [{ name, kind: 'choice', value: values[Math.max(0, selected)] ?? '', options: values }]
  }
  if (control.name === 'textarea')
    return [{ name, kind: 'text', value: DomUtils.textContent(control).replace(/^\n/, ''), options: [] }]
  if (control.name === 'button' || ['radio', 'checkbox'].includes(type))
    return [{ name, kind: 'choice', value, options: [value] }]
  const kind = type === 'hidden' || type === 'date' || type === 'file' ? type : 'text'
  return [{ name, kind, value, options: [] }]
}

function isIntruder({ name, attribs }: Element): boolean {
  if (name === 'script') return !(attribs.src?.startsWith('/assets/') || attribs.type?.endsWith('json'))
  if (['iframe', 'object', 'embed', 'base', 'style', 'video', 'audio'].includes(name)) return true
  const names = Object.keys(attribs)
  if (names.some((attribute) => attribute.startsWith('on') || attribute === 'style')) return true
  return /^\s*(?:javascript|vbscript|data):/i.test(attribs.href ?? attribs.action ?? '')
}

/** An internal path; null for external links. */
function ownPath(address: string | undefined, base: string): string | null {
  const origin = 'http://forum.invalid'
  if (address === undefined || !URL.canParse(base, origin) || !URL.canParse(address, new URL(base, origin)))
    return null
  const url = new URL(address, new URL(base, origin))
  return url.origin === origin ? `${url.pathname}${url.search}` : null
}

function elements(parent: Document | Element, ...names: string[]): Element[] {
  return DomUtils.getElementsByTagName((name) => names.includes(name), parent, true)
}
