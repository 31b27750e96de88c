import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { handup } from '../../operating/backup/testing.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { atLeast, type Claim, type Fault, type FaultContext, none } from './fault.ts'

const CLI = join(import.meta.dirname, '../cli/main.ts')
const PICTURES = 10
/** Milliseconds after the beginning; 'whole': as soon as all pictures are beside their place, around the commit. */
const MOMENTS = [400, 800, 1200, 'whole', 'whole', 'whole'] as const
type Moment = (typeof MOMENTS)[number]

export const killedRestore: Fault = {
  name: 'killed-restore',
  fault: 'a restore killed (SIGKILL)',
  done: `\`handup restore\` of a forum with ${PICTURES} pictures into an empty database, killed at ${MOMENTS.length} moments, three of them around its commit; then the same command again`,
  wanted: 'the second restore continues or starts over: exit 0, and every picture is in its place',
  isQuick: false,
  run: killRestore,
}

async function killRestore({ end, database, emptyDatabase, say }: FaultContext): Promise<Claim[]> {
  const [{ db, url }, folder] = [await database(), await temporaryFolder(end)]
  const app = await testApp(end, db, { dataDir: folder })
  const author = await aPerson(db)
  const browser = await signedIn(app, author)
  for (let number = 0; number < PICTURES; number += 1)
    await anAnswer(db, { author, body: (await uploaded(browser)).markdown })
  const file = join(folder, 'whole.backup')
  await handup({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', file)
  const wanted = (await readdir(join(folder, 'uploads'), { recursive: true })).sort().join()
  const [failed, lost]: [string[], string[]] = [[], []]
  let [killed, finished] = [0, 0]
  for (const moment of MOMENTS) {
    const target = { DATABASE_URL: await emptyDatabase(), DATA_DIR: await temporaryFolder(end) }
    if (await killedAt(moment, target, file)) killed += 1
    else {
      say(`${moment}: it was over before`)
      continue
    }
    // The server notices that the client is gone.
    await sleep(500)
    const again = await handup(target, 'restore', file)
    if (again.code !== 0) failed.push(`${moment}: ${again.output.trim().split('\n').at(-1)}`)
    if (again.output.includes('did not end')) finished += 1
    const uploads = await readdir(join(target.DATA_DIR, 'uploads'), { recursive: true }).catch(() => [])
    if (uploads.sort().join() !== wanted) lost.push(`${moment}: ${uploads.length} files`)
  }
  say(`${finished} were killed after the commit, and finished by the second restore`)
  return [
    atLeast('restores killed before they ended', killed, 3),
    none('second restores that failed', failed, killed),
    none('second restores without all pictures', lost, killed),
  ]
}

/** @returns whether it was killed before it ended */
async function killedAt(
  moment: Moment,
  target: { readonly DATABASE_URL: string; readonly DATA_DIR: string },
  file: string,
): Promise<boolean> {
  const environment = { ...process.env, LOG_LEVEL: 'silent', NODE_ENV: '', ...target }
  const child = spawn(process.execPath, [CLI, 'restore', file], { env: environment, stdio: 'ignore' })
  const ended = once(child, 'exit')
  if (moment === 'whole') {
    while (child.exitCode === null) {
      const names = await readdir(target.DATA_DIR).catch(() => [])
      if (names.some((name) => name.endsWith('.whole'))) break
      await sleep(1)
    }
  } else await Promise.race([sleep(moment), ended])
  child.kill('SIGKILL')
  const [, signal] = await ended
  return signal === 'SIGKILL'
}
