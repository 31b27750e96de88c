import { Command } from 'commander'
import { isUnavailable } from '../../database/failures.ts'
import { isExpected } from '../problems.ts'
import { handupVersion } from '../version.ts'
import { addBackup } from './backup.ts'
import { addClusters } from './clusters.ts'
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

const program = new Command('handup')
  .description('The operator’s commands of Handup. Each works beside a running forum.')
  .version(await handupVersion())
  .showHelpAfterError('(--help tells more)')

addBackup(program)
addClusters(program)
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
  const isOperators = error instanceof CommandError || isExpected(error)
  if (isOperators) console.error(`handup: ${error.message}`)
  else if (error instanceof Error && isUnavailable(error))
    console.error(`handup: lost the database (${error.message}): try again when it is back`)
  else console.error(error)
}
