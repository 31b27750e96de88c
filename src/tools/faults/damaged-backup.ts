import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { handup } from '../../operating/backup/testing.ts'
import { atEnd } from '../../testing/at-end.ts'
import { aQuestion } from '../../testing/posts.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'

export const damagedBackup: Fault = {
  name: 'damaged-backup',
  fault: 'a damaged backup file',
  done: '`handup restore` of a backup with one bit changed at its beginning, in its middle and at its end, of one that is cut off, and of none at all, into an empty database; then of the whole file',
  wanted: 'each is refused with one line before anything is touched; the whole file is restored',
  isQuick: false,
  run: restoreDamaged,
}

async function restoreDamaged({ end, database, emptyDatabase }: FaultContext): Promise<Claim[]> {
  const [{ db, url }, target, folder] = [await database(), await emptyDatabase(), await temporaryFolder(end)]
  await aQuestion(db, { answers: 3, votes: 2, tags: ['json'] })
  const whole = join(folder, 'whole.backup')
  await handup({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', whole)
  const bytes = await readFile(whole)
  const damaged = {
    beginning: flipped(bytes, 100),
    middle: flipped(bytes, Math.floor(bytes.length / 2)),
    end: flipped(bytes, bytes.length - 100),
    'cut off': bytes.subarray(0, Math.floor(bytes.length * 0.9)),
    empty: Buffer.alloc(0),
  }
  const strange: string[] = []
  for (const [name, content] of Object.entries(damaged)) {
    const path = join(folder, name)
    await writeFile(path, content)
    const { code, output } = await handup({ DATABASE_URL: target, DATA_DIR: folder }, 'restore', path)
    const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('Checking'))
    if (code !== 1 || said.length !== 1) strange.push(`${name}: ${code}, ${said.join(' / ')}`)
  }
  const into = connect(target)
  atEnd(end, () => into.destroy())
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(into)
  const { code } = await handup({ DATABASE_URL: target, DATA_DIR: folder }, 'restore', whole)
  return [
    none('damaged files that were not refused with one line', strange, Object.keys(damaged).length),
    none(
      'tables in the database afterwards',
      rows.map(({ name }) => name),
    ),
    equal('the whole file afterwards: exit code', code, 0),
  ]
}

function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(place) ^ 1, place)
  return copy
}
