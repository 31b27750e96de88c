/** A question as it stands in a forum. */
export interface Text {
  readonly title: string
  readonly body: string
  /** What was accepted; null: nothing. */
  readonly answer?: string | null
}

/** What somebody types, or a question to find others for. */
export interface Asked {
  readonly title: string
  /** '' in a search. */
  readonly body: string
  /** Which of the collection are right, by their indexes. */
  readonly right: readonly number[]
  /** The index of the question itself; null: it is not in the collection. */
  readonly self: number | null
}

/** Questions of one forum, and what is asked of them by the name of each set. */
export interface Collection {
  readonly name: string
  readonly texts: readonly Text[]
  readonly searches: Readonly<Record<string, readonly Asked[]>>
  readonly similar: Readonly<Record<string, readonly Asked[]>>
  /** Questions to which none is similar. */
  readonly unmatched: readonly string[]
}
