/** Somebody who showed who they are, in one of the ways of ways.ts. */
export interface Access {
  readonly personId: number
  /** people.access_version as it was then: if it is another one since, what they showed is void. */
  readonly accessVersion: number
  /** The account at a provider that showed it; absent: none did. */
  readonly by?: LinkedAccess
}

/** A linked account, and the session there, which the provider may end. */
export interface LinkedAccess {
  readonly linkedAccountId: number
  /** null: the provider names none. */
  readonly sid: string | null
  /** Whether the provider reported that it asked for two factors. */
  readonly hasShownFactor: boolean
}

/** Of an account that was made this moment. */
export const FIRST_ACCESS = 1
