import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../database/embedded.ts'
import { StartError } from '../start/problems.ts'
import { addBackup } from './backup.ts'
import { addCourse } from './course.ts'
import { addDoctor } from './doctor.ts'
import { addGenerate } from './generate.ts'
import { addImport } from './import.ts'
import { addMigrate } from './migrate.ts'
import { addPages } from './pages.ts'
import { addRecount } from './recount.ts'
import { addReindex } from './reindex.ts'
import { addRerender } from './rerender.ts'
import { addRestore } from './restore.ts'
import { CommandError } from './run.ts'
import { addSeed } from './seed.ts'
import { addUser } from './user.ts'

/** Their messages are one line that says it all. */
const EXPECTED = [CommandError, ConfigError, EmbeddedError, StartError]

const program = new Command('handup')
  .description('The operator’s commands of Handup. Each works beside a running forum.')
  .showHelpAfterError('(--help tells more)')

addBackup(program)
addCourse(program)
addDoctor(program)
addGenerate(program)
addImport(program)
addMigrate(program)
addRecount(program)
addRerender(program)
addReindex(program)
addRestore(program)
addPages(program)
addSeed(program)
addUser(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = 1
  const isExpected = EXPECTED.some((kind) => error instanceof kind)
  console.error(error instanceof Error ? `handup: ${error.message}` : error)
  if (!isExpected && error instanceof Error) console.error(error.stack)
}
