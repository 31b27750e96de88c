import { Command, CommanderError } from 'commander'
import { isUnavailable } from '../../database/failures.ts'
import { isExpected } from '../../operating/problems.ts'
import { handupVersion } from '../../operating/version.ts'
import { addBackup } from './backup.ts'
import { addClusters } from './clusters.ts'
import { addCourse } from './course.ts'
import { addDoctor } from './doctor.ts'
import { addExport } from './export.ts'
import { addGenerate } from './generate.ts'
import { addImport } from './import.ts'
import { addMail } from './mail.ts'
import { addMigrate } from './migrate.ts'
import { addPages } from './pages.ts'
import { addPost } from './post.ts'
import { addRecount } from './recount.ts'
import { addReindex } from './reindex.ts'
import { addRerender } from './rerender.ts'
import { addRestore } from './restore.ts'
import { CommandError } from './run.ts'
import { addSecret } from './secret.ts'
import { addSeed } from './seed.ts'
import { addSimulate } from './simulate.ts'
import { addUser } from './user.ts'

const COMMANDS = [
  addBackup,
  addClusters,
  addCourse,
  addDoctor,
  addExport,
  addGenerate,
  addImport,
  addMail,
  addMigrate,
  addRecount,
  addRerender,
  addReindex,
  addRestore,
  addPages,
  addPost,
  addSecret,
  addSeed,
  addSimulate,
  addUser,
]

/**
 * Runs `handup` with these arguments. Failures are printed; process.exitCode says whether there was one: 1, unless a
 * command said another before.
 * @param args without the names of the programs
 */
export async function runHandup(args: readonly string[]): Promise<void> {
  const program = handup(await handupVersion())
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    // Commander has printed its own: help, the version, what is wrong with the arguments.
    process.exitCode = error instanceof CommanderError ? error.exitCode : process.exitCode || 1
    if (!(error instanceof CommanderError)) printFailure(error)
  }
}

/** All commands. */
export function handup(version: string): Command {
  const program = new Command('handup')
    .description('Commands for operators of Handup. They work while the forum runs.')
    .version(version)
    // One line for what is wrong, with the hint at its end.
    .configureOutput({ outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')} `) })
    .showHelpAfterError('(--help shows more)')
    .exitOverride()
  for (const add of COMMANDS) add(program)
  return program
}

/** Whether the operating system refused: a file that isn't there, no permission. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

function printFailure(error: unknown): void {
  if (error instanceof CommandError || isExpected(error) || isOfSystem(error))
    console.error(`handup: ${error.message}`)
  else if (error instanceof Error && isUnavailable(error))
    console.error(
      `handup: lost the connection to the database (${error.message}): try again when it is available`,
    )
  else console.error(error)
}
