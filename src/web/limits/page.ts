import {
  BODY_LIMIT,
  type Cap,
  CODES,
  FIELDS_LIMIT,
  GUESSES,
  INVITATION_MAILS,
  KEPT_FORMS,
  LETTERS,
  LIMITS,
  type Limit,
  type LimitRow,
  NEWCOMERS,
  REPORT_LETTERS,
  SELECTION_FIELDS_LIMIT,
  TABLE_FILE_BYTES,
  UPLOADS,
  UPLOADS_AT_ONCE,
  VIEWS,
} from '../../kernel/limits.ts'
import { FIRST_DAY } from '../../kernel/rights/site-settings.ts'
import { row, table } from '../../text/markdown-table.ts'

const INTRODUCTION = `# Limits

Written by \`npm run --silent handup -- limits > docs/limits.md\` from the table that the code reads
(\`src/kernel/limits.ts\`). Don't edit this page: a test compares the two.

The database counts, for all processes together and by its clock. Above a limit, people get \`429\` with \`Retry-After\`, and a page
with everything they typed, to send again. No one is locked out by others: each account and each network has its own limit (an IPv6
/64 is one network), wrong passwords are counted by account *and* network, and the limit for newcomers of a course affects only newcomers.
A network's limit counts visitors; "with accounts" counts everyone there, in addition to each account's own limit.`
const MB = 1024 * 1024
const HEAD = ['what', 'each account', 'on its first day', 'each network']

/** docs/limits.md: every limit as a page of Markdown. @param operations all there are */
export function limitsPage(operations: readonly { readonly name: string; readonly limit: Limit }[]): string {
  const limits = Object.entries<LimitRow>(LIMITS)
  const rows = limits.map(([, { what, account, newcomer = account, address, isAlwaysOfNetwork }]) => {
    const whose = isAlwaysOfNetwork === true ? 'with accounts' : 'without an account'
    return row(what, told(account), told(newcomer), `${told(address)}, ${whose}`)
  })
  const counted = limits.flatMap(([limit, { what }]) => {
    const names = operations.flatMap((one) => (one.limit === limit ? [one.name] : []))
    return names.length === 0 ? [] : [row(what, names.join(', '))]
  })
  return `${INTRODUCTION}

${table(HEAD, rows)}

## Operations

${table(['what', 'operations'], counted)}

## Wrong passwords, and email to others

- Wrong passwords for one account from one network address: ${told(GUESSES)}. The account's owner can sign in from another network, or wait.
- Wrong two-factor codes for one account: ${told(CODES)}, from all networks together, because only someone with the password gets that far.
- Emails with a link for the same purpose to one address: ${told(LETTERS)}, from any number of accounts.
- All other emails together to an unconfirmed address: ${told(LETTERS)}. It may be a stranger's.
- Receipts of reports to an address given without an account: one per case, ${told(REPORT_LETTERS)}. Outcomes: those of a
  course together, once a day.
- Invitation emails of one account: ${INVITATION_MAILS.max.toLocaleString('en')} a day, on its first day ${INVITATION_MAILS.newcomer}. An address gets one per course in 30 days, and
  none after one was returned. People are added even if they get no email.

## Newcomers

People are newcomers for a day after they sign up, unless they are staff or admins. Accounts created by an operator, the set-up or an
import aren't.

- The table shows their own limits.
- Posts of all newcomers of a course together: ${told(NEWCOMERS.course)}.
- Links to other sites in one of their posts: up to ${NEWCOMERS.links}. Addresses in code don't count.

With \`STRANGERS=careful\`, the default with \`NODE_ENV=production\`, who signed up for themselves and has no role in a course that staff, an
invitation link or a provider gave is a stranger there, until they have two visible posts and a day has passed. With \`relaxed\` nothing of this holds.
Admins change the figures in *Forum settings*; these are the defaults.

- Questions of a stranger on the first day: ${FIRST_DAY.questions}. Answers and replies: ${FIRST_DAY.posts}. After that: 429, with the time.
- A stranger's post that links to more than ${FIRST_DAY.hosts} sites that no visible post of the course links to is held for review, once the course has 200 posts;
  before that, with more than 5. So is the third copy of a text: by the same stranger, or by others within a day.

## Views

- Of one question by visitors of one network: ${told(VIEWS)}. Further visitors can read the page but aren't counted. Accounts count
  once a day each, without that limit.

## Size

- A picture: ${UPLOADS.fileBytes / MB} MB, 20,000 pixels wide or high, 50 million in all, 120 frames. It is stored as WebP and a second file, up to
  2,000 pixels wide, 16,383 high and 16 million in all. Taller than twice its width, it is folded on the page. An account can upload ${UPLOADS.pictures} pictures and ${UPLOADS.bytes / MB} MB of these a day. Pictures that no post shows are deleted after a day.
- A CSV file of members or lectures: ${TABLE_FILE_BYTES / MB} MB.
- Forms with files that a process reads at a time: ${UPLOADS_AT_ONCE.bytes / MB} MB, ${UPLOADS_AT_ONCE.ofPerson} of one person, ${UPLOADS_AT_ONCE.ofNetwork} of one network. Others wait up to
  20 seconds. Only the text of visitors' forms is read. A form that brings less than 16 KB in five seconds gets \`408\`.
- Pictures decoded at a time: two, or one that is large or has 16 bits a channel.
- A form: ${BODY_LIMIT / 1024} KB and ${FIELDS_LIMIT} fields, ${SELECTION_FIELDS_LIMIT} where members, posts or cases are selected; larger ones get \`413\` and \`400\`.
- Text that visitors sent is kept for a day until they sign in: ${KEPT_FORMS.bytes / 1024} KB per form, ${KEPT_FORMS.network} forms per network, ${KEPT_FORMS.all.toLocaleString('en')} in
  all; the oldest are deleted first. Forms without text, such as votes, aren't kept.
- An address with its headers: 16 KB (Node's limit); \`431\`.
- Texts: titles 3 to 150 characters, posts up to 30,000, replies up to 5,000, up to five tags of up to 32.
`
}

function told({ max, window }: Cap): string {
  const minutes = window / 60_000
  const time =
    minutes === 1 ? 'minute' : minutes === 60 ? 'hour' : minutes === 24 * 60 ? 'day' : `${minutes} minutes`
  return `${max.toLocaleString('en')} in ${/^\d/.test(time) ? time : `${time === 'hour' ? 'an' : 'a'} ${time}`}`
}
