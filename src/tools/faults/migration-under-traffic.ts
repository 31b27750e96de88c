import { cp } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import { MIGRATIONS } from '../../database/migrations/files.ts'
import { writeMigrations } from '../../database/migrations/testing.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { loadForum } from '../generate/load.ts'
import { atLeast, atMost, type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, type Sent, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

/** Of the forum. */
const QUESTIONS = 51_000
/** Milliseconds of a long reading transaction, as in a backup. */
const READING_MS = 8000
/** Milliseconds in which a process that has just started gets its connections, plans and templates. */
const WARMING_MS = 10_000
/** Milliseconds within which every page and post is answered. */
const SLOWEST_MS = 2000

/**
 * The first step of a future version: new columns are nullable or have a default, so that this version keeps working. Rows are
 * filled and indexes built in steps.
 */
const EXPANSION = {
  '997_probe': 'alter table questions add column probe integer',
  '998_probe': `
    alter table answers add column probe text;
    alter table answers add constraint answers_probe_length check (char_length(probe) <= 100) not valid;
    create table probes (id bigint generated always as identity primary key);`,
  '999_probe': `-- In steps: questions and answers are large.
alter table answers validate constraint answers_probe_length;
-- over questions
update questions set probe = char_length(title) where id > $1 and id <= $2 and probe is null;
create index concurrently if not exists questions_probe on questions (probe);
`,
}

export const migrationUnderTraffic: Fault = {
  name: 'migration-under-traffic',
  fault: 'migration while traffic flows',
  done: `a generated forum of ${QUESTIONS.toLocaleString('en')} questions, 4 readers and 4 writers; a transaction that reads all tables for ${READING_MS / 1000} s, as a backup does; meanwhile a next version’s first step is migrated: two columns, a constraint, a table, and in steps an index and a column of every question`,
  wanted: `no post fails, and no page or post takes more than ${SLOWEST_MS / 1000} s`,
  isQuick: false,
  minutes: 12,
  run: migrateUnderTraffic,
}

async function migrateUnderTraffic(context: FaultContext): Promise<Claim[]> {
  const { end, say } = context
  const database = await context.database()
  const untimed = connect(database.url, { statementTimeout: 0 })
  atEnd(end, () => untimed.destroy())
  say(`generating ${QUESTIONS} questions`)
  await loadForum(database.url, { questions: QUESTIONS, seed: 1, course: null }, { begin() {}, advance() {} })
  await sql`vacuum analyze`.execute(untimed)
  const { forum, people, question } = await aWorld(context, { database })
  const folder = await withExpansion(end)
  const traffic = startTraffic(end, forum.url, people, question, { readers: 4, writers: 4, pause: 150 })
  await sleep(WARMING_MS)
  const reading = untimed.transaction().execute(async (read) => {
    await sql`lock table questions, answers in access share mode`.execute(read)
    await sleep(READING_MS)
  })
  await sleep(300)
  say(`load of the machine over a minute: ${loadavg()[0]?.toFixed(1)}`)
  const begun = performance.now()
  const applied = await migrate(untimed, { folder })
  const took = performance.now() - begun
  await reading
  await sleep(500)
  const sent = await traffic.stop()
  const failed = sent.filter((one) => !isServed(one))
  const [before, meanwhile] = [
    sent.filter((one) => one.ended < begun),
    sent.filter((one) => one.ended >= begun),
  ]
  const slowest = (all: readonly Sent[]) => Math.max(0, ...all.map((one) => one.ended - one.begun))
  say(`slowest answer in the ${WARMING_MS / 1000} s before: ${slowest(before).toFixed(0)} ms`)
  return [
    equal('migrations applied', applied.join(), Object.keys(EXPANSION).join()),
    atMost('until then, the reader’s time included', took / 1000, 180, 's'),
    atLeast('requests meanwhile', meanwhile.length, 100),
    none(
      'pages and posts that failed',
      failed.map(({ status, failure }) => failure ?? String(status)),
      sent.length,
    ),
    atMost('slowest answer meanwhile', slowest(meanwhile), SLOWEST_MS, 'ms'),
    ...(await nothingLost(untimed, sent)),
  ]
}

/** A folder with this version's migrations and those of the next. */
async function withExpansion(end: Ending): Promise<string> {
  const folder = await temporaryFolder(end)
  await cp(MIGRATIONS, folder, { recursive: true })
  await writeMigrations(folder, EXPANSION)
  return folder
}
