/** Somebody who showed who they are: with a password, a link, or an account they just made. */
export interface Access {
  readonly personId: number
  /** people.access_version as it was then: if it is another one since, what they showed is void. */
  readonly accessVersion: number
  /** A one-time link stands for the password for an hour: queries.ts, proofForPassword. */
  readonly isFromLink?: boolean
}

/** Of an account that was made this moment. */
export const FIRST_ACCESS = 1
