/** What somebody showed as they signed in, that stands for the password for a while: queries.ts, proofForPassword. */
export interface Proved {
  readonly isFromLink?: boolean
  readonly isByPasskey?: boolean
}

/** Somebody who showed who they are: with a password, a link, a passkey, or an account they just made. */
export interface Access extends Proved {
  readonly personId: number
  /** people.access_version as it was then: if it is another one since, what they showed is void. */
  readonly accessVersion: number
}

/** Of an account that was made this moment. */
export const FIRST_ACCESS = 1
