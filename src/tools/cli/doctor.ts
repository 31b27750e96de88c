import type { Command } from 'commander'
import { examine } from '../../operating/doctor/examine.ts'
import type { Finding } from '../../operating/doctor/finding.ts'
import { sayDatabase } from './database-line.ts'

/** Widths of the columns: the longest state and the longest name of a check. */
const STATE_WIDTH = 9
const CHECK_WIDTH = 12

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the installation and give advice; exit code 1 if there is a problem')
    .action(doctor)
}

async function doctor(): Promise<void> {
  sayDatabase(process.env)
  const counts = { ok: 0, warning: 0, problem: 0 }
  for await (const finding of examine(process.env)) {
    counts[finding.state] += 1
    for (const line of linesOf(finding)) console.log(line)
  }
  console.log(`ok: ${counts.ok}, warnings: ${counts.warning}, problems: ${counts.problem}`)
  if (counts.problem > 0) process.exitCode = 1
}

function linesOf({ state, check, says, advice }: Finding): string[] {
  const first = `${state.padEnd(STATE_WIDTH)}${check.padEnd(CHECK_WIDTH)}${says}`
  return advice === null ? [first] : [first, `${' '.repeat(STATE_WIDTH + CHECK_WIDTH)}→ ${advice}`]
}
