/** A mutation's row in docs/mutations.md. */
export interface Row {
  readonly rule: string
  readonly file: string
  /** Test files, a few of them; none: nothing catches it. */
  readonly caught: readonly string[]
  /** Of the mutation, which is not tried then. */
  readonly changesNothing?: string
}

const HEAD = `# Rules that tests hold

\`npm run mutations\` breaks each of these rules in one place, and writes here which tests fail then: three files at most. It tries the tests
that caught it the last time, then those beside the code, then those of what must hold everywhere, then all. Twenty rules were written by hand
(\`src/tools/mutations/rules.ts\`), forty drawn by a seed from the code (\`drawn.json\`). A rule whose code moves is carried over. Where something
else holds a rule as well, breaking it in that place changes nothing: the table says why, and no test is tried.

| rule | where | caught by |
|---|---|---|
`

export function writtenTable(rows: readonly Row[]): string {
  const lines = rows.map(({ rule, file, caught, changesNothing }) => {
    const missed = changesNothing === undefined ? 'not caught' : `changes nothing: ${changesNothing}`
    const names = caught.length === 0 ? missed : caught.map((name) => `\`${name}\``).join(', ')
    return `| ${rule.replaceAll('|', '\\\\|')} | \`${file}\` | ${names} |\n`
  })
  return `${HEAD}${lines.join('')}`
}

/** The rows by their rules. */
export function readTable(text: string): Map<string, Row> {
  const rows = text.split('\n').flatMap((line) => {
    const [, rule, file = '', names = ''] = /^\| (.*) \| `([^`]*)` \| (.*) \|$/.exec(line) ?? []
    if (rule === undefined) return []
    const [, changesNothing] = /^changes nothing: (.*)/.exec(names) ?? []
    const row = { rule: rule.replaceAll('\\\\|', '|'), file }
    if (changesNothing !== undefined) return [{ ...row, caught: [], changesNothing }]
    return [{ ...row, caught: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) }]
  })
  return new Map(rows.map((row) => [row.rule, row]))
}
