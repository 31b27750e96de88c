import { row, table } from '../text/markdown-table.ts'
import { EVENTS, type EventName } from './kinds.ts'

/** The table of events as a page of Markdown: docs/events.md. */
export function eventsPage(): string {
  const names = Object.keys(EVENTS) as EventName[]
  const rows = names.map((name) => {
    const { level, says, fields } = EVENTS[name]
    return row(`\`${name}\``, level, says, fields.map((field) => `\`${field}\``).join(', ') || '–')
  })
  return `${INTRODUCTION}\n${table(['event', 'level', 'what happened', 'beside that'], rows)}\n`
}

const INTRODUCTION = `# What the log tells

Written by \`npm run --silent handup -- events > docs/events.md\` from the table that the code itself reads
(\`src/audit-log/kinds.ts\`). Do not edit this page by hand: a test compares the two.

Every event is one line of JSON on standard output: \`time\` (milliseconds since 1970), \`level\` (30 info, 40 warn, 50 error), \`event\`,
\`personId\` (whose account it is about; null: nobody's, or nobody knows whose), \`reqId\` (of the request; error pages show it), and what
stands in the table. \`address\` is the network address, as \`TRUST_PROXY\` lets it be known. There are no passwords, tokens, codes,
addresses of mail, and nothing that people wrote but the path they asked for, without its query. \`LOG_LEVEL=warn\` leaves out what
is \`info\`. Events of requests without a person (\`mail-sent\`, \`job-failed\`, \`broken-request\`) have no \`personId\`.
`
