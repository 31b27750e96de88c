import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database’s tables to what this version needs')
    .action(async () => {
      const database = await openDatabase(readConfig(process.env), {
        role: 'command',
        statementTimeout: 0,
        patience: 10_000,
      })
      try {
        const applied = await migrate(database.db)
        for (const name of applied) console.log(`applied ${name}`)
        console.log(applied.length === 0 ? 'nothing to migrate' : `${applied.length} migrations applied`)
      } finally {
        await database.close()
      }
    })
}
