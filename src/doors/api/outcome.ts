/** Addresses beside a body, by relation: paths of ours. Shown to those who ask for HAL. */
export type Links = Readonly<Record<string, string>>

/** A body with the links around it. */
export interface Linked<Body> {
  readonly body: Body
  readonly links: Links
}

/** The outcome of an endpoint, before it is written in the format of the request. */
export type Outcome<Body> =
  | {
      readonly kind: 'one'
      readonly one: Linked<Body>
      /** The version of its text, which If-Match compares; null: the API doesn't edit it. */
      readonly version: number | null
      readonly modifiedAt: Date | null
    }
  | {
      readonly kind: 'list'
      readonly items: readonly Linked<unknown>[]
      /** Cursor of the page after; null: this is the last. */
      readonly next: string | null
    }
  | {
      readonly kind: 'created'
      readonly one: Linked<Body>
      readonly version: number | null
      /** Path of what was written, from the root. */
      readonly url: string
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<unknown> }

export function one<Body>(
  one: Linked<Body>,
  {
    version = null,
    modifiedAt = null,
  }: { readonly version?: number | null; readonly modifiedAt?: Date | null } = {},
): Outcome<Body> {
  return { kind: 'one', one, version, modifiedAt }
}

export function list(items: readonly Linked<unknown>[], next: string | null = null): Outcome<never> {
  return { kind: 'list', items, next }
}
