/** A link with its words. */
export interface Link {
  readonly text: string
  readonly path: string
}
