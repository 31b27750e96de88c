/** Somebody who showed who they are, in one of the ways of ways.ts. */
export interface Access {
  readonly personId: number
  /** people.access_version as it was then: if it is another one since, what they showed is void. */
  readonly accessVersion: number
}

/** Of an account that was made this moment. */
export const FIRST_ACCESS = 1
