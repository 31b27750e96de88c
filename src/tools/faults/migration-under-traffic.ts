import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import { MIGRATIONS } from '../../database/migrations/files.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { atLeast, atMost, type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, type Sent, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

/** Milliseconds of a long reading transaction, as in a backup. */
const READING_MS = 8000
/** The lock timeout of a migration (database/migrate.ts). */
const LOCK_TIMEOUT_MS = 500

/**
 * The first step of a future version: new columns are nullable or have a default, so that this version keeps working.
 */
const EXPANSION = `
  alter table questions add column probe integer not null default 0;
  alter table answers add column probe text;
  alter table answers add constraint answers_probe_length check (char_length(probe) <= 100) not valid;
  create index questions_probe on questions (probe);
  create table probes (id bigint generated always as identity primary key);`

export const migrationUnderTraffic: Fault = {
  name: 'migration-under-traffic',
  fault: 'migration while traffic flows',
  done: `8 readers and 4 writers; somebody who has read all tables in one transaction for ${READING_MS / 1000} s, as a backup does; meanwhile a next version’s first step is migrated: two columns, a constraint, an index, a table`,
  wanted: 'expand/contract steps; no request fails for longer than a lock timeout',
  isQuick: false,
  run: migrateUnderTraffic,
}

async function migrateUnderTraffic(context: FaultContext): Promise<Claim[]> {
  const { end } = context
  const { db, url, forum, people, question } = await aWorld(context)
  const folder = await withMigration(end, '999_probe', EXPANSION)
  const traffic = startTraffic(end, forum.url, people, question, { readers: 8, writers: 4, pause: 25 })
  const untimed = connect(url, { statementTimeout: 0 })
  atEnd(end, () => untimed.destroy())
  await sleep(500)
  const reading = untimed.transaction().execute(async (read) => {
    await sql`lock table questions, answers in access share mode`.execute(read)
    await sleep(READING_MS)
  })
  await sleep(300)
  const begun = performance.now()
  const applied = await migrate(untimed, { folder })
  const took = performance.now() - begun
  await reading
  await sleep(500)
  const sent = await traffic.stop()
  const strange = sent.filter((one) => !isServed(one) && one.status !== 503)
  const failed = sent.filter((one) => !isServed(one))
  return [
    equal('migrations applied', applied.join(), '999_probe'),
    atMost('until then, the reader’s time included', took / 1000, 60, 's'),
    atLeast('requests meanwhile', sent.length, 100),
    none(
      'requests without an answer, or with another than 503',
      strange.map(({ status, failure }) => failure ?? String(status)),
      sent.length,
    ),
    { claim: 'requests that failed', measured: `${failed.length} of ${sent.length}`, holds: true },
    atMost('longest time in which nobody was served', longestGap(sent), LOCK_TIMEOUT_MS + 500, 'ms'),
    atMost('longest answer', Math.max(...sent.map((one) => one.ended - one.begun)), 5500, 'ms'),
    ...(await nothingLost(db, sent)),
  ]
}

/** A folder with this version's migrations and one more. */
async function withMigration(end: Ending, name: string, text: string): Promise<string> {
  const folder = await temporaryFolder(end)
  for (const file of await readdir(MIGRATIONS)) await copyFile(join(MIGRATIONS, file), join(folder, file))
  await writeFile(join(folder, `${name}.sql`), text)
  return folder
}

/** Milliseconds between two successful responses. */
function longestGap(sent: readonly Sent[]): number {
  const moments = sent.filter(isServed).map(({ ended }) => ended)
  moments.sort((one, other) => one - other)
  return Math.max(0, ...moments.slice(1).map((moment, index) => moment - (moments[index] ?? moment)))
}
