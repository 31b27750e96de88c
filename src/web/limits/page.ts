import { row, table } from '../../text/markdown-table.ts'
import { BODY_LIMIT, FIELDS_LIMIT, SELECTION_FIELDS_LIMIT } from '../body.ts'
import {
  type Cap,
  CODES,
  GUESSES,
  INVITATION_MAILS,
  KEPT_FORMS,
  LETTERS,
  LIMITS,
  type LimitRow,
  NEWCOMERS,
  TABLE_FILE_BYTES,
  UPLOADS,
  UPLOADS_AT_ONCE,
  VIEWS,
} from './table.ts'

const INTRODUCTION = `# How often, and how much

Written by \`npm run --silent handup -- limits > docs/limits.md\` from the table that the code itself reads
(\`src/web/limits/table.ts\`). Do not edit this page by hand: a test compares the two.

What is counted is counted in the database, for all processes together and by its clock. Who does something too often gets
\`429\` with \`Retry-After\`, and a page with all that was typed, to be sent again. Nobody is locked out by others: a limit is
one account's or one network's own (an IPv6 customer's /64 is one network), guesses at a password are counted by account
*and* network, and the cap of a course's newcomers holds for newcomers only. A network's limit counts those who are not signed
in; "with accounts": everybody there, beside the limit of each account.`
const MB = 1024 * 1024
const HEAD = ['what', 'each account', 'on its first day', 'each network']

/** docs/limits.md: every limit as a page of Markdown. */
export function limitsPage(): string {
  const limits: readonly LimitRow[] = Object.values(LIMITS)
  const rows = limits.map(({ what, account, newcomer = account, address, isAlwaysOfNetwork }) => {
    const whose = isAlwaysOfNetwork === true ? 'with accounts' : 'without an account'
    return row(what, told(account), told(newcomer), `${told(address)}, ${whose}`)
  })
  return `${INTRODUCTION}

${table(HEAD, rows)}

## Guessing, and mail to others

- Wrong passwords for one account from one network address: ${told(GUESSES)}. Who has the right one comes from elsewhere, or waits.
- Wrong codes of a second factor for one account: ${told(CODES)}, from wherever they come, as only who knows the password gets so far.
- Mails with a link for the same purpose to one address: ${told(LETTERS)}, from any number of accounts.
- All other mails together to an address that nobody has confirmed: ${told(LETTERS)}. Its mailbox may be a stranger's.
- Mails by which one account tells people of courses it added them to: ${INVITATION_MAILS.max.toLocaleString('en')} a day, on an account's first day
  ${INVITATION_MAILS.newcomer}; to one address one for a course in 30 days, and none where such mail came back. Who is not told is added all the same.

## Newcomers

Somebody who signs up is a newcomer for a day, unless they look after a course or the forum. Accounts that an operator, the
set-up or an import made are not.

- Their own limits are in the table.
- All newcomers of a course together: ${told(NEWCOMERS.course)} of posts there.
- Addresses elsewhere that one of their posts may link to: ${NEWCOMERS.links}. Addresses in code do not count.

## Views

- Of one question by visitors of one network: ${told(VIEWS)}. Further visitors read the page as ever and do not count. Accounts
  count once a day each, without that limit.

## Size

- A picture: ${UPLOADS.fileBytes / MB} MB, 12,000 pixels wide or high, 50 million in all, 120 frames. Stored are WebP and a second file, at most 2,000
  pixels wide or high. An account uploads ${UPLOADS.pictures} pictures and ${UPLOADS.bytes / MB} MB of these a day. What no post shows goes after a day.
- A CSV file of members or lectures: ${TABLE_FILE_BYTES / MB} MB.
- Forms with files that a process reads at a time: ${UPLOADS_AT_ONCE.bytes / MB} MB, ${UPLOADS_AT_ONCE.ofPerson} of one person, ${UPLOADS_AT_ONCE.ofNetwork} of one network. Others wait for their turn, 20 seconds
  at most; of visitors only the text is read. What stops for five seconds, or brings less than 16 KB in them, gets \`408\`.
- Pictures decoded at a time: two, or one with 16 bits a channel.
- A form: ${BODY_LIMIT / 1024} KB and ${FIELDS_LIMIT} fields, ${SELECTION_FIELDS_LIMIT} where members are selected; larger ones get \`413\` and \`400\`.
- Text that visitors sent with a form waits a day for them to sign in: ${KEPT_FORMS.bytes / 1024} KB of a form, ${KEPT_FORMS.network} forms of one network,
  ${KEPT_FORMS.all.toLocaleString('en')} in all; the oldest go first. Forms without text, such as votes, leave nothing.
- An address with its headers: 16 KB, Node's own bound; \`431\`.
- Texts: in the forms' own words, after the contract: titles 3 to 150 characters, posts 30,000, replies 5,000, five tags of 32.
`
}

function told({ max, window }: Cap): string {
  const minutes = window / 60_000
  const time =
    minutes === 1 ? 'minute' : minutes === 60 ? 'hour' : minutes === 24 * 60 ? 'day' : `${minutes} minutes`
  return `${max.toLocaleString('en')} in ${/^\d/.test(time) ? time : `${time === 'hour' ? 'an' : 'a'} ${time}`}`
}
