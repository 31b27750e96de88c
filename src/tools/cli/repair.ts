import type { Command } from 'commander'
import { repairSchema } from '../../database/migrations/repair.ts'
import { toldDifference } from '../../database/migrations/schema-objects.ts'
import { withDatabaseAsItIs } from './run.ts'

export function addRepair(program: Command): void {
  program
    .command('repair')
    .description('repair what doctor found')
    .command('schema')
    .description(
      'replace functions, constraints, indexes and triggers that differ from what the migrations create; exit code 1 if ' +
        'something still differs',
    )
    .option('--drop', 'also drop those that no migration creates')
    .action(({ drop = false }: { drop?: boolean }) => repair(drop))
}

async function repair(drops: boolean): Promise<void> {
  const left = await withDatabaseAsItIs(({ db }) =>
    repairSchema(db, {
      drops,
      onRepaired: (line) => console.log(`repaired: ${line}`),
      onFailed: (line) => console.error(`not repaired: ${line}`),
    }),
  )
  for (const difference of left) console.log(`left: ${toldDifference(difference)}`)
  const wrong = left.filter(({ wanted }) => wanted !== null)
  if (wrong.length === 0)
    return console.log('the schema is as its migrations create it; check the counters with recount')
  console.log('to repair the rest, take a backup and restore it into an empty database')
  process.exitCode = 1
}
