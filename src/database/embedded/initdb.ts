import { chown, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, noRoom, saysNoRoom } from './error.ts'
import { type Outcome, run, type SystemUser } from './process.ts'

/** Parameters of initdb. */
export interface InitialisePlan {
  user: SystemUser | null
  binaries: Binaries
  /** the superuser's */
  password: string
  /** false only in tests: no fsync */
  sync: boolean
  signal: AbortSignal
}

/**
 * Runs initdb into `folder/data`: UTF-8, ICU's root collation (the same order on every machine and for every language),
 * checksums, SCRAM passwords only. The password is passed in a private file, never on the command line.
 * @param folder an empty private folder of the server's user
 */
export async function initialise(folder: string, plan: InitialisePlan): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, plan.password, { mode: 0o600 })
  if (plan.user) await chown(passwordFile, plan.user.uid, plan.user.gid)
  // "C.UTF-8" classifies the letters of every script; systems without it (older macOS) use plain "C".
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
  return `PostgreSQL's initdb could not create a database in ${dirname(folder)} (${reason}): fix that, or set DATABASE_URL to a PostgreSQL of your own`
}
