/** Bytes of a form's body: 30,000 characters of four bytes, each written as %XX, and the small fields beside them. */
export const BODY_LIMIT = 512 * 1024

export const FIELDS_LIMIT = 50
/** Fields of a form in which rows of a page are selected. */
export const SELECTION_FIELDS_LIMIT = 256

/**
 * Mails with a link for the same purpose to one address, from any number of accounts, and all other mails
 * together to an address that nobody has confirmed: so that nobody's mailbox can be flooded.
 */
export const LETTERS = { max: 5, window: 60 * 60_000 } as const

/** Receipts of reports, and their outcomes, to one address that people without an account gave: each may be a stranger's. */
export const REPORT_LETTERS = { max: 5, window: 24 * 60 * 60_000 } as const

export interface Cap {
  readonly max: number
  /** Milliseconds, counted from the first time on. */
  readonly window: number
}

export interface LimitRow {
  readonly what: string
  readonly account: Cap
  /** For each network, of visitors. */
  readonly address: Cap
  /** The network's cap counts what accounts do there, too: signing in, or up, must not be a way around it. */
  readonly isAlwaysOfNetwork?: true
  /** Each process counts in its memory: what is bounded is its own work, and counting must cost less than that. */
  readonly isOfProcess?: true
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
 * How often something may be done: routes name their row in their config, web/limits/limits.ts counts. A
 * whole class may share one address, so the limits per address leave room for a lecture hall.
 */
export const LIMITS = {
  posting: {
    what: 'Questions, answers, replies, edits, deletions, settings. Visitors’ texts are kept until they sign in',
    account: { max: 3000, window: 10 * MINUTE },
    address: { max: 300, window: 10 * MINUTE },
    newcomer: { max: 300, window: HOUR },
  },
  reporting: {
    what: 'Reports of posts and people, with or without an account',
    account: { max: 60, window: HOUR },
    address: { max: 60, window: HOUR },
    newcomer: { max: 20, window: HOUR },
  },
  voting: both('Votes, acceptances, endorsements, resolutions, following, acts on the desk', 600, MINUTE),
  signIn: {
    ...both('Forms with a password, a code or a link', 300, 15 * MINUTE),
    isAlwaysOfNetwork: true,
  },
  signUp: { ...both('New accounts', 300, HOUR), isAlwaysOfNetwork: true },
  mail: {
    what: 'Requests for an email with a link: new password, address confirmation',
    account: { max: 20, window: HOUR },
    address: { max: 100, window: HOUR },
    isAlwaysOfNetwork: true,
  },
  download: both('Downloads of own data', 20, HOUR),
  search: { ...both('Searches. Each process counts for itself', 240, MINUTE), isOfProcess: true },
  suggestions: {
    ...both('Suggestions and similar questions while typing. Each process counts for itself', 600, MINUTE),
    isOfProcess: true,
  },
  pages: {
    what: 'Pages rendered for one reader because the page cache has none. Each process counts for itself',
    account: { max: 600, window: MINUTE },
    address: { max: 1200, window: MINUTE },
  },
  api: {
    what: 'Requests of programs to the API, whatever the number of tokens. Each process counts for itself',
    account: { max: 600, window: MINUTE },
    address: { max: 1200, window: MINUTE },
    isOfProcess: true,
  },
  agents: {
    what: 'Calls of agents (MCP). Each process counts for itself',
    account: { max: 120, window: MINUTE },
    address: { max: 60, window: MINUTE },
    isOfProcess: true,
  },
  uploading: both('Uploads of pictures, and of files to import', 300, 10 * MINUTE),
  apps: {
    what: 'Apps that ask for access, are let in, renew it or give it back',
    account: { max: 120, window: 10 * MINUTE },
    // A hosted assistant renews what all its people gave it from a few networks.
    address: { max: 1200, window: 10 * MINUTE },
  },
  drafts: both('Drafts saved while typing', 600, MINUTE),
  preview: both('Markdown previews', 60, MINUTE),
} as const satisfies Record<string, LimitRow>

/** Pictures: the bytes of one file, and what one account may upload in a day, as it is stored. */
export const UPLOADS = { fileBytes: 12 * 1024 * 1024, pictures: 100, bytes: 100 * 1024 * 1024 } as const

/**
 * Forms with files that a process reads at a time: their bytes, those of visitors, whose files are not kept, apart; how many of one
 * person and of one network; and how many more wait for their turn, in all and of one person or network.
 */
export const UPLOADS_AT_ONCE = {
  bytes: 64 * 1024 * 1024,
  visitorBytes: 4 * 1024 * 1024,
  ofPerson: 2,
  ofNetwork: 4,
  waiting: 400,
  waitingOfName: 200,
} as const

export type Limit = keyof typeof LIMITS

/** Mails that one account sends by adding people to courses; `newcomer`: on the first day of who signed up themselves. */
export const INVITATION_MAILS = { max: 25_000, newcomer: 100, window: DAY } as const

/** How long somebody is told of one course once, however often they are added to it. */
export const INVITED_ONCE_MS = 30 * DAY

export const TABLE_FILE_BYTES = 2 * 1024 * 1024

/** Wrong passwords that one network address may try on one account: a guesser locks out nobody but himself. */
export const GUESSES: Cap = { max: 10, window: 15 * MINUTE }

/** Wrong codes for one account, from wherever they come: of a million codes some three are right at any time. */
export const CODES: Cap = { max: 30, window: DAY }

/** Text of visitors' forms that waits for them to sign in: forms of one network and of all, and the bytes of one. */
export const KEPT_FORMS = { network: 200, all: 2000, bytes: 128 * 1024 } as const

/** New views of one question by visitors of one network: some dozens, as a lecture hall shares one. */
export const VIEWS: Cap = { max: 50, window: HOUR }

/** Who made an account for themselves is new for a day, unless they look after a course or the forum. */
export const NEWCOMERS = {
  /** Posts of all newcomers together in one course: its older members are never held up by them. */
  course: { max: 3000, window: HOUR },
  /** Addresses elsewhere that one post may link to. */
  links: 5,
} as const satisfies { course: Cap; links: number }
