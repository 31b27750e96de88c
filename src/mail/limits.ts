/**
 * Mails with a link for the same purpose to one address, from any number of accounts, and all other mails together to an address that nobody
 * has confirmed: so that nobody's mailbox can be flooded.
 */
export const LETTERS = { max: 5, window: 60 * 60_000 } as const

/** Receipts of reports, and their outcomes, to one address that people without an account gave: each may be a stranger's. */
export const REPORT_LETTERS = { max: 5, window: 24 * 60 * 60_000 } as const
