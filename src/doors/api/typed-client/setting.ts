/** What the journey needs: the address of a forum, the slug of a course, and tokens of its members. */
export interface Setting {
  readonly host: string
  readonly course: string
  readonly asker: string
  readonly helper: string
}

/** What a client of others made of it, for the test. */
export interface Seen {
  readonly status: string
  readonly title: string
  readonly votes: number
  readonly acceptedAnswer: number | null
  readonly answer: number
  readonly stale: number
  readonly refused: readonly string[]
  /** Titles of all pages of a list. */
  readonly titles: readonly string[]
}
