import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { row, table } from '../../text/markdown-table.ts'
import { FAULTS } from './all.ts'
import type { Fault } from './fault.ts'
import { type KeptOutcome, readOutcomes } from './outcomes.ts'
import type { Outcome } from './run-fault.ts'

const FILE = join(import.meta.dirname, '../../../docs/faults.md')

const INTRODUCTION = `Written by \`npm run faults\`: each fault is caused in real processes: the forum as \`npm start\` runs it in production, a PostgreSQL of its own, a mail server, and proxies between them. \`npm run faults -- --only NAME,NAME\` repeats some of them, and the other rows stay (\`docs/faults.json\`); \`npm run test:everything\` does those marked * too, but does not judge how fast pages are meanwhile (\`src/tools/faults/quick.test.ts\`).`

/** The outcome of a fault, for a terminal. */
export function linesOf({ state, claims, reason, seconds }: Omit<Outcome, 'fault'>): string[] {
  const lines = claims.map(({ claim, measured, holds }) => `${holds ? 'ok  ' : 'NOT '} ${claim}: ${measured}`)
  return [...lines, ...reason.split('\n').filter(Boolean), `${state}, in ${seconds.toFixed(1)} s\n`]
}

/**
 * Writes docs/faults.md from the last outcome of each fault.
 * @param machine a list in Markdown
 */
export async function writeReport(machine: string): Promise<void> {
  const kept = await readOutcomes()
  const outcomes = FAULTS.flatMap((fault) => {
    const outcome = kept[fault.name]
    return outcome === undefined ? [] : [{ fault, outcome }]
  })
  const head = ['fault', 'guarantee', 'held', 's', 'on', 'measured']
  const overview = outcomes.map(({ fault, outcome: { state, seconds, day } }) =>
    row(
      fault.fault,
      fault.wanted,
      verdict(state),
      seconds.toFixed(0),
      day,
      `[${fault.name}](#${fault.name})`,
    ),
  )
  const sections = outcomes.map(({ fault, outcome }) => sectionOf(fault, outcome))
  const parts = ['# Faults survived, measured', INTRODUCTION, machine, table(head, overview), ...sections]
  await writeFile(FILE, `${parts.join('\n\n')}\n`)
}

function sectionOf(fault: Fault, { claims, reason }: KeptOutcome): string {
  const figures = claims.map(({ claim, measured, holds }) => row(claim, measured, holds ? 'yes' : '**no**'))
  return [
    `## ${fault.name}`,
    `${fault.isQuick ? '\\* ' : ''}Done: ${fault.done}.`,
    claims.length === 0 ? reason : table(['', 'measured', 'held'], figures),
  ].join('\n\n')
}

function verdict(state: Outcome['state']): string {
  if (state === 'held') return 'yes'
  return state === 'not held' ? '**no**' : 'not run here'
}
