import type { Author, Written } from '../exchange/format.ts'

/** Who has no account there any more, and the site itself. */
const FORMER = 'Former member'

/** Authors whom the files know by their numbers: they alone come along. */
export class NumberedAuthors {
  /** Those who wrote something, until their names are written. */
  readonly #left = new Set<number>()

  /** Numbers below 1 are the site itself. */
  of(user: number | null | undefined): Author {
    if (user == null || user < 1) return { former: FORMER }
    this.#left.add(user)
    return { person: String(user) }
  }

  /** Whether somebody wrote something, and isn't written yet. */
  take(user: number): boolean {
    return this.#left.delete(user)
  }

  /** Those whom the files haven't. */
  get nameless(): Written<'people'>[] {
    return [...this.#left].map((user) => ({ id: String(user), name: `user${user}` }))
  }
}
