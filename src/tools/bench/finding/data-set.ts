/** A question of a collection, or one that asks the same as one of them. */
export interface Text {
  readonly title: string
  readonly body: string
}

/** A question to find others for. */
export interface Asked extends Text {
  /** Which of the collection are right, by their indexes; none: nothing should be shown. */
  readonly right: readonly number[]
  /** The index of the question itself; null: it is not in the collection. */
  readonly self: number | null
}

export interface DataSet {
  readonly name: string
  readonly collection: readonly Text[]
  readonly asked: readonly Asked[]
  /** Questions without a right one. */
  readonly unmatched: readonly string[]
}
