/** So often in so much time. */
export interface Cap {
  readonly max: number
  /** Milliseconds, counted from the first time on. */
  readonly window: number
}

export interface LimitRow {
  /** What is limited, for docs/limits.md. */
  readonly what: string
  /** For each account. */
  readonly account: Cap
  /** For each network address, of whoever is not signed in. */
  readonly address: Cap
  /** For each account on its first day; as all others where nothing is named. */
  readonly newcomer?: Cap
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const both = (what: string, max: number, window: number): LimitRow => {
  const cap = { max, window }
  return { what, account: cap, address: cap }
}

/**
 * How often something may be done: routes name their row in their config, web/limits.ts counts. A whole class may share one
 * address, so the limits per address leave room for a lecture hall.
 */
export const LIMITS = {
  posting: {
    what: 'Questions, answers, replies, edits, deletions, settings. What visitors write is kept until they sign in',
    account: { max: 3000, window: 10 * MINUTE },
    address: { max: 300, window: 10 * MINUTE },
    newcomer: { max: 300, window: HOUR },
  },
  voting: both('Votes, acceptances, resolutions, following', 600, MINUTE),
  signIn: both('Sending a form with a password, a code or a link in it', 300, 15 * MINUTE),
  signUp: both('New accounts', 300, HOUR),
  mail: both('Asking for a mail with a link: a new password, confirming an address', 100, HOUR),
  download: both('Downloads of all that one wrote', 20, HOUR),
  search: both('Searches', 240, MINUTE),
  suggestions: both('Suggestions and similar questions while typing', 600, MINUTE),
  preview: both('Previews of Markdown, which cost most', 60, MINUTE),
} as const satisfies Record<string, LimitRow>

export type Limit = keyof typeof LIMITS

/** Wrong passwords that one network address may try on one account: a guesser locks out nobody but himself. */
export const GUESSES: Cap = { max: 10, window: 15 * MINUTE }

/** Wrong codes for one account, from wherever they come: of a million codes some three are right at any time. */
export const CODES: Cap = { max: 30, window: DAY }

/** Mails with a link for the same purpose to one account, so that nobody's mailbox can be flooded. */
export const LETTERS: Cap = { max: 5, window: HOUR }

/** Who made an account for themselves is new for a day, unless they look after a course or the forum. */
export const NEWCOMERS = {
  /** Posts of all newcomers together in one course: whoever belongs to it longer is never held up by them. */
  course: { max: 3000, window: HOUR },
  /** Addresses elsewhere that one post may link to. */
  links: 5,
} as const satisfies { course: Cap; links: number }
