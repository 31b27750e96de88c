/** A field of a form that was refused. */
export interface TypedField {
  readonly name: string
  readonly value: string
  readonly label: string
  /** A code that somebody chose, or that came with the form: nothing to read. */
  readonly isChosen: boolean
}

/** What a page of a failure shows: views/errors/show.eta. */
export interface ErrorPage {
  readonly status: number
  readonly heading: string
  readonly text: string
  /** When trying again makes sense; null: nobody knows. */
  readonly again: string | null
  /** A symbol of public/icons.svg. */
  readonly icon: string
  /** What to search for instead: words of the address; null: searching would not help. */
  readonly words: string | null
  /** A course may be there for those who were invited, once their address is confirmed: as of any that isn't, too. */
  readonly mayWait: boolean
  /** What a refused form carried, so that it can be copied or sent again. */
  readonly typed: readonly TypedField[]
  /** Where it can be sent again; null when that would not help. */
  readonly resendPath: string | null
  /** The token it came with, so that a form that was posted after all is not posted twice; null: it needs a new one. */
  readonly token: string | null
  /** Fields that were sent empty: they belong to the same form, too. */
  readonly empty: readonly string[]
}
