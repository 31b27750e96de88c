import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../database/embedded.ts'
import { addCourse } from './course.ts'
import { addGenerate } from './generate.ts'
import { addImport } from './import.ts'
import { addMigrate } from './migrate.ts'
import { addRecount } from './recount.ts'
import { addReindex } from './reindex.ts'
import { addRerender } from './rerender.ts'
import { CommandError } from './run.ts'
import { addSeed } from './seed.ts'
import { addUser } from './user.ts'

const program = new Command('handup')
  .description('The operator’s commands of Handup. Each works beside a running forum.')
  .showHelpAfterError('(--help tells more)')

addCourse(program)
addGenerate(program)
addImport(program)
addMigrate(program)
addRecount(program)
addRerender(program)
addReindex(program)
addSeed(program)
addUser(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = 1
  const isExpected =
    error instanceof CommandError || error instanceof ConfigError || error instanceof EmbeddedError
  console.error(error instanceof Error ? `handup: ${error.message}` : error)
  if (!isExpected && error instanceof Error) console.error(error.stack)
}
