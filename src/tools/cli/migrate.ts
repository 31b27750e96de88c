import type { Command } from 'commander'
import { migrate } from '../../database/migrate.ts'
import { databaseError } from '../../operating/problems.ts'
import { withDatabaseAsItIs } from './run.ts'

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('apply this version’s migrations to the database')
    .action(() =>
      withDatabaseAsItIs(async ({ db, config }) => {
        const applied = await migrate(db).catch((error: unknown) => {
          throw config.databaseUrl === null ? error : databaseError(error)
        })
        for (const name of applied) console.log(`applied ${name}`)
        console.log(applied.length === 0 ? 'nothing to migrate' : `${applied.length} applied`)
      }),
    )
}
