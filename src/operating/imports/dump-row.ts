import { DumpError } from './dump-error.ts'

const INTEGER = /^-?\d{1,15}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?$/
const INT4_MAX = 2_147_483_647
/** Nothing was posted before; and nothing later than tomorrow, however clocks differ. */
const EARLIEST = Date.UTC(1970, 0, 1)
const DAY_MS = 24 * 60 * 60 * 1000

/** The attributes of one `<row …/>`, parsed as the types of the dump's format. */
export class DumpRow {
  readonly #attributes: Readonly<Record<string, string>>
  readonly #file: string
  readonly #line: number

  constructor(attributes: Readonly<Record<string, string>>, file: string, line: number) {
    this.#attributes = attributes
    this.#file = file
    this.#line = line
  }

  /** null: the row has no such attribute. */
  text(name: string): string | null {
    return this.#attributes[name] ?? null
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#fail(`has no ${name}`)
  }

  /** An id, or the number of a type. */
  id(name: string): number {
    return this.optionalId(name) ?? this.#fail(`has no ${name}`)
  }

  optionalId(name: string): number | null {
    const text = this.text(name)
    if (text === null || text === '') return null
    return INTEGER.test(text)
      ? Number(text)
      : this.#fail(`has ${name}="${excerpt(text)}", which is not a number`)
  }

  /** A score or a count within the database's range; 0 when it is absent. */
  count(name: string): number {
    const count = this.optionalId(name) ?? 0
    return Math.abs(count) <= INT4_MAX ? count : this.#fail(`has ${name}="${count}", which is too large`)
  }

  /** Dumps give times in UTC without a suffix. */
  time(name: string): Date {
    return this.optionalTime(name) ?? this.#fail(`has no ${name}`)
  }

  optionalTime(name: string): Date | null {
    const text = this.text(name)
    if (text === null || text === '') return null
    return timeOf(text) ?? this.#fail(`has ${name}="${excerpt(text)}", which is not a time`)
  }

  #fail(what: string): never {
    throw new DumpError(`${this.#file}, line ${this.#line}: the row ${what}`)
  }
}

/** null: there is no such day or hour, though JavaScript finds another for it; or nothing can have been posted then. */
function timeOf(text: string): Date | null {
  const time = new Date(TIME.test(text) ? `${text}Z` : Number.NaN)
  const isPossible = time.getTime() >= EARLIEST && time.getTime() < Date.now() + DAY_MS
  return isPossible && time.toISOString().startsWith(text.slice(0, 19)) ? time : null
}

/** The beginning of a bad value, for an error message; JSON quoting keeps it on one line. */
function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 40)).slice(1, -1)
}
