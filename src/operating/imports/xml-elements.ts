import { SaxesParser } from 'saxes'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { reasonOf } from './dump.ts'
import { type SourceFile, textOf } from './source-files.ts'

const MAX_DEPTH = 64
/** Characters that are held at once, of all elements that are open. */
const MAX_HELD = 32 * 1024 * 1024
/** What stands for nothing. */
const NULL = '$@NULL@$'

/** An element that was asked for, with its attributes and the texts of the elements in it that have none below them. */
export class XmlElement {
  readonly #attributes: Readonly<Record<string, string>>
  readonly #place: string
  readonly fields = new Map<string, string>()
  readonly name: string
  /** The nearest one around it that was asked for: its texts so far. */
  readonly parent: XmlElement | null

  constructor(
    name: string,
    attributes: Readonly<Record<string, string>>,
    place: string,
    parent: XmlElement | null,
  ) {
    this.name = name
    this.#attributes = attributes
    this.#place = place
    this.parent = parent
  }

  /** null: it is not there, or it says that there is nothing. */
  text(name: string): string | null {
    const text = this.fields.get(name) ?? this.#attributes[name] ?? null
    return text === NULL ? null : text
  }

  /** A number from 0; null: none is said. */
  number(name: string): number | null {
    const text = this.text(name)?.trim() ?? ''
    if (text === '') return null
    if (!/^-?\d{1,15}$/.test(text))
      return this.fail(`<${name}> is no number: ${JSON.stringify(text.slice(0, 40))}`)
    return Number(text)
  }

  /** Its `id`. */
  get id(): string {
    const id = this.number('id')
    return id === null ? this.fail('it has no id') : String(id)
  }

  /** A time in seconds; 0 is none. */
  time(name: string): Date | null {
    const seconds = this.number(name) ?? 0
    if (seconds === 0) return null
    return seconds > 0 && seconds < 2 ** 33
      ? new Date(seconds * 1000)
      : this.fail(`<${name}> is no time: ${seconds}`)
  }

  fail(reason: string): never {
    throw new ExchangeError(`${this.#place}: <${this.name}>: ${reason}`)
  }
}

/**
 * The elements of an XML file with one of these names, each when it ends: those in it come first, and know it. However long the file is,
 * it holds what is open alone.
 * @param root what the file begins with; null: anything
 * @throws ExchangeError with file, line and reason: not XML, cut off, too deep, or with a DOCTYPE, whose entities may be hostile
 */
export async function* elementsOf(
  file: SourceFile,
  root: string | null,
  names: ReadonlySet<string>,
): AsyncGenerator<XmlElement> {
  const reader = new ElementReader(file.name, root, names)
  for await (const text of textOf(file)) yield* reader.read(text)
  yield* reader.end()
}

interface Open {
  readonly name: string
  readonly element: XmlElement | null
  /** The nearest around it, itself too, that was asked for. */
  readonly nearest: XmlElement | null
  text: string
  isLeaf: boolean
}

class ElementReader {
  readonly #file: string
  readonly #parser = new SaxesParser()
  readonly #open: Open[] = []
  #found: XmlElement[] = []
  #held = 0
  /** Characters of a text that the parser still gathers. */
  #gathered = 0

  constructor(file: string, root: string | null, names: ReadonlySet<string>) {
    this.#file = file
    this.#parser.on('error', (error) => this.#fail(reasonOf(error)))
    this.#parser.on('doctype', () => this.#fail('it has a DOCTYPE, which no backup has'))
    this.#parser.on('opentag', ({ name, attributes }) => {
      const around = this.#open.at(-1)
      this.#gathered = 0
      if (around === undefined && root !== null && name !== root)
        this.#fail(`it begins with <${name}> where a backup has <${root}>`)
      if (this.#open.length === MAX_DEPTH) this.#fail(`it is nested deeper than ${MAX_DEPTH} elements`)
      if (around !== undefined) around.isLeaf = false
      const parent = around?.nearest ?? null
      // One in another of its name is a text of that.
      const element =
        names.has(name) && around?.name !== name
          ? new XmlElement(name, attributes, this.#place, parent)
          : null
      this.#open.push({ name, element, nearest: element ?? parent, text: '', isLeaf: true })
    })
    this.#parser.on('text', (text) => this.#keep(text))
    this.#parser.on('cdata', (text) => this.#keep(text))
    this.#parser.on('closetag', () => this.#close())
  }

  read(text: string): XmlElement[] {
    this.#gathered += text.length
    this.#parser.write(text)
    if (this.#gathered > MAX_HELD) this.#refuseLength()
    return this.#take()
  }

  end(): XmlElement[] {
    this.#parser.close()
    return this.#take()
  }

  #take(): XmlElement[] {
    const found = this.#found
    this.#found = []
    return found
  }

  #keep(text: string): void {
    const open = this.#open.at(-1)
    if (open === undefined || !open.isLeaf) return
    open.text += text
    this.#held += text.length
    if (this.#held > MAX_HELD) this.#refuseLength()
  }

  #close(): void {
    this.#gathered = 0
    const closed = this.#open.pop()
    const element = this.#open.at(-1)?.element ?? null
    if (closed === undefined) return
    if (closed.element !== null) {
      this.#found.push(closed.element)
      for (const text of closed.element.fields.values()) this.#held -= text.length
    }
    if (closed.isLeaf && closed.element === null && element !== null) {
      this.#held -= element.fields.get(closed.name)?.length ?? 0
      element.fields.set(closed.name, closed.text)
    } else this.#held -= closed.text.length
  }

  get #place(): string {
    return `${this.#file}, line ${this.#parser.line}`
  }

  #refuseLength(): never {
    this.#fail('it has a text that is longer than 32 million characters')
  }

  #fail(reason: string): never {
    throw new ExchangeError(`${this.#place}: ${reason}`)
  }
}
