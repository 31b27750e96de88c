import { chown, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './embedded-binaries.ts'
import { EmbeddedError, noRoom, saysNoRoom } from './embedded-error.ts'
import { type Outcome, run, type SystemUser } from './embedded-process.ts'

/** What initdb needs to know. */
export interface InitialisePlan {
  user: SystemUser | null
  binaries: Binaries
  /** the superuser's */
  password: string
  /** false only in tests: do not wait for the disk */
  sync: boolean
  signal: AbortSignal
}

/**
 * Runs initdb into `folder/data`: UTF-8, ICU's root collation (the same order on every machine and for every
 * language), checksums, passwords by SCRAM alone. The password goes by a private file, never by the command line.
 * @param folder an empty private folder of the server's user
 */
export async function initialise(folder: string, plan: InitialisePlan): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, plan.password, { mode: 0o600 })
  if (plan.user) await chown(passwordFile, plan.user.uid, plan.user.gid)
  // "C.UTF-8" knows the letters of every script; systems without it (older macOS) have plain "C".
  const first = await initdb(folder, passwordFile, 'C.UTF-8', plan)
  const last = /invalid locale/.test(first.stderr) ? await initdb(folder, passwordFile, 'C', plan) : first
  if (last.code !== 0) throw new EmbeddedError(failureLine(last, folder))
}

function initdb(folder: string, passwordFile: string, ctype: string, plan: InitialisePlan): Promise<Outcome> {
  const options = [
    `--pgdata=${join(folder, 'data')}`,
    `--pwfile=${passwordFile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=icu',
    '--icu-locale=und',
    '--locale=C',
    `--lc-ctype=${ctype}`,
    '--data-checksums',
    '--no-instructions',
  ]
  return run(plan.binaries.initdb, plan.sync ? options : [...options, '--no-sync'], plan.user, plan.signal)
}

function failureLine(outcome: Outcome, folder: string): string {
  if (saysNoRoom(outcome.stderr)) return noRoom(dirname(folder))
  const reason = /(?:error|FATAL|PANIC): +(.*)/.exec(outcome.stderr)?.[1] ?? `it ended with ${outcome.code}`
  return `PostgreSQL's initdb could not make a database in ${dirname(folder)} (${reason}): mend that, or set DATABASE_URL to a PostgreSQL of your own`
}
