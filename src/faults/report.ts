import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { row, table } from '../bench/recall-measures.ts'
import type { Claim } from './fault.ts'
import type { Outcome } from './run-fault.ts'

const FILE = join(import.meta.dirname, '../../docs/faults.md')

/** What came of a fault, for a terminal. */
export function linesOf({ state, claims, reason, seconds }: Outcome): string[] {
  const lines = claims.map(({ claim, measured, holds }) => `${holds ? 'ok  ' : 'NOT '} ${claim}: ${measured}`)
  return [...lines, ...reason.split('\n').filter(Boolean), `${state}, in ${seconds.toFixed(1)} s\n`]
}

/** Writes docs/faults.md. @param machine a list in Markdown */
export async function writeReport(outcomes: readonly Outcome[], machine: string): Promise<void> {
  const overview = outcomes.map(({ fault, state, seconds }) =>
    row(fault.fault, fault.wanted, verdict(state), seconds.toFixed(0), `[${fault.name}](#${fault.name})`),
  )
  const sections = [
    '# Faults survived, measured',
    'Written by `npm run faults`: each fault is done to real processes, the forum as `npm start` runs it in production, a PostgreSQL of its own, a mail server, and proxies between them. `npm run faults -- --only NAME` repeats one; those marked * are done by `npm test` too (`src/faults/quick.test.ts`).',
    machine,
    table(['fault', 'what has to hold', 'held', 's', 'measured'], overview),
    ...outcomes.map(sectionOf),
  ]
  await writeFile(FILE, `${sections.join('\n\n')}\n`)
}

function sectionOf({ fault, claims, reason }: Outcome): string {
  const figures = claims.map(({ claim, measured, holds }: Claim) =>
    row(claim, measured, holds ? 'yes' : '**no**'),
  )
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
