import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { handup } from '../../operating/backup/testing.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { type Claim, equal, type Fault, type FaultContext } from './fault.ts'

const PICTURES = 20

export const lostPictures: Fault = {
  name: 'lost-pictures',
  fault: 'the files of pictures lost',
  done: `${PICTURES} pictures shown by posts, a backup, the folder of pictures removed, \`handup doctor\`, a second backup, \`handup restore FILE --pictures\` of the first`,
  wanted:
    'doctor and backup report what is missing, backup with its own exit code; all come back from the first backup',
  isQuick: false,
  run: losePictures,
}

async function losePictures({ end, database }: FaultContext): Promise<Claim[]> {
  const [{ db, url }, folder] = [await database(), await temporaryFolder(end)]
  const app = await testApp(end, db, { dataDir: folder })
  const author = await aPerson(db, { isAdmin: true })
  const browser = await signedIn(app, author)
  for (let number = 0; number < PICTURES; number += 1)
    await anAnswer(db, { author, body: (await uploaded(browser)).markdown })
  const run = (...args: string[]) => handup({ DATABASE_URL: url, DATA_DIR: folder }, ...args)
  const uploads = join(folder, 'uploads')
  const files = async () => (await readdir(uploads, { recursive: true }).catch(() => [])).sort().join()
  const before = await files()
  const whole = join(folder, 'whole.backup')
  const first = await run('backup', whole)
  await rm(uploads, { recursive: true })
  const doctor = await run('doctor')
  const second = await run('backup', join(folder, 'second.backup'))
  const restored = await run('restore', whole, '--pictures')
  return [
    equal('exit code of the backup before', first.code, 0),
    equal('pictures that the doctor misses', / (\d+) are missing/.exec(doctor.output)?.[1], String(PICTURES)),
    equal('exit code of the doctor', doctor.code, 1),
    equal('exit code of the backup afterwards', second.code, 3),
    equal('exit code of the restore of pictures', restored.code, 0),
    equal('all files are back', (await files()) === before, true),
    equal('exit code of a backup then', (await run('backup', join(folder, 'third.backup'))).code, 0),
  ]
}
