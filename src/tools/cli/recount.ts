import type { Command } from 'commander'
import { type Difference, MAX_REPORTED, recount } from '../../database/recount.ts'
import { withDatabase } from './run.ts'
import { textTable } from './table.ts'

export function addRecount(program: Command): void {
  program
    .command('recount')
    .description('compare every counter with what it counts; exit code 1 if one is wrong')
    .option('--fix', 'correct the wrong ones')
    .action(async ({ fix = false }: { fix?: boolean }) => {
      const differences = await withDatabase(({ db }) => recount(db, { fix }))
      if (differences.length > 0) console.log(tableOf(differences))
      console.log(summary(differences, fix))
      if (differences.length > 0 && !fix) process.exitCode = 1
    })
}

function summary(differences: readonly Difference[], fix: boolean): string {
  if (differences.length === 0) return 'every counter is correct'
  const number =
    differences.length < MAX_REPORTED ? String(differences.length) : `${differences.length} or more`
  return fix ? `counters corrected: ${number}` : `wrong counters: ${number}; correct them with recount --fix`
}

function tableOf(differences: readonly Difference[]): string {
  const rows = differences.map(({ counter, id, courseId, stored, counted }) => [
    counter,
    courseId === null ? String(id) : `${id} (course ${courseId})`,
    String(stored),
    String(counted),
  ])
  return textTable([['counter', 'id', 'stored', 'counted'], ...rows])
}
