import { row, table } from '../../text/markdown-table.ts'
import { EVENTS, type EventName } from './kinds.ts'

/** The events as a page of Markdown: docs/events.md. @param operations with the events that each of them notes */
export function eventsPage(
  operations: readonly { readonly name: string; readonly events: readonly EventName[] }[],
): string {
  const names = Object.keys(EVENTS) as EventName[]
  const rows = names.map((name) => {
    const { level, says, fields } = EVENTS[name]
    const noting = operations.filter(({ events }) => events.includes(name)).map(({ name }) => name)
    return row(`\`${name}\``, level, says, listed(fields), listed(noting))
  })
  return `${INTRODUCTION}\n${table(['event', 'level', 'what happened', 'fields', 'noted by'], rows)}\n`
}

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || '–'

const INTRODUCTION = `# Log events

Written by \`npm run --silent handup -- events > docs/events.md\` from the table that the code reads
(\`src/kernel/audit/kinds.ts\`) and the operations (\`src/kernel/operation.ts\`), which note no other events than those that they name. Don't edit this page: a test compares the two.

Every event is one line of JSON on standard output: \`time\` (milliseconds since 1970), \`level\` (30 info, 40 warn, 50 error), \`event\`,
\`personId\` (the account it is about; null: none, or unknown), \`reqId\` (of the request; error pages show it), and the fields in the
table. \`address\` is the network address, according to \`TRUST_PROXY\`. The log contains no passwords, tokens, codes, email addresses or
texts of people, except the requested path without its query; of a 404 page it has the route instead, such as \`/tags/:tag\`, where there is one. \`LOG_LEVEL=warn\` leaves out \`info\` events. Events without a person (\`mail-sent\`, \`job-failed\`, \`broken-request\`) have no \`personId\`.
`
