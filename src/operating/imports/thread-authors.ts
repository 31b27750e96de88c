import type { Author } from '../exchange/format.ts'

/**
 * The authors of another forum, as an export names them. Whose name is kept from others gets a number in the thread, which no two share: it
 * says that two posts are by one, in this thread and nowhere else.
 */
export class ThreadAuthors {
  readonly #named = new Set<string>()
  /** Thread → somebody in it → their number. */
  readonly #numbers = new Map<string, Map<string, number>>()

  /** Ids of those who are in the export: everybody else's name stays out of it. */
  get named(): ReadonlySet<string> {
    return this.#named
  }

  get hasAnonymous(): boolean {
    return this.#numbers.size > 0
  }

  /** @param id null: nobody knows any more */
  open(id: string | null): Author {
    if (id === null) return { former: '' }
    this.#named.add(id)
    return { person: id }
  }

  /** Staff know who it is. */
  toClassmates(thread: string, id: string): Author {
    this.#named.add(id)
    return { person: id, anonymous: 'classmates', number: this.#number(thread, `known ${id}`) }
  }

  /** @param key what is the same for all posts of somebody in the thread */
  toEveryone(thread: string, key: string): Author {
    return { anonymous: 'everyone', number: this.#number(thread, `unknown ${key}`) }
  }

  #number(thread: string, key: string): number {
    const numbers = this.#numbers.get(thread) ?? new Map<string, number>()
    this.#numbers.set(thread, numbers)
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return number
  }
}
