import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { Random } from '../../../operating/generate/random.ts'
import { freePort } from '../../../operating/start/testing.ts'
import { row, table } from '../../../text/markdown-table.ts'
import { machineSection } from '../machine.ts'
import { type BenchContext, withBenchContext } from '../speed/context.ts'
import { atMost, GOAL_HEAD, goalRow } from '../speed/goals.ts'
import { residentMegabytes, startForum, stopForum } from '../speed/processes.ts'
import { bindToCore, ownMegabytes, postmasterOf } from './core.ts'
import { type ExamNightOptions, signInTimes } from './exam-night.ts'
import { Mix } from './mix.ts'
import { type Answered, openLoop, openStreams, send } from './open-loop.ts'

export interface SoakOptions extends Omit<ExamNightOptions, 'seconds'> {
  readonly minutes: number
}

/** Seconds after the start that have a row of their own: nothing is warmed by us. */
const COLD_SECONDS = 15
const POPULAR = 400
const [FORUM_CORE, OUR_CORE] = [0, 1]
const [COLD_GOAL, MEMORY_GOAL_MB] = [100, 400]

const HEAD = [
  ...['minute', 'answers', 'p50 ms', 'p99 ms', 'questions p99', 'other than 200, 303', 'RSS MB', 'heap MB'],
  ...[
    'heap in use',
    'buffers MB',
    'loop p99 ms',
    'loop max ms',
    'PostgreSQL MB',
    'database MB',
    'checkpoints',
    'autovacuums',
  ],
]

/** An exam's night for as long as one likes, with the figures of each minute: a section of Markdown. */
export async function soakSection(options: SoakOptions, say: (line: string) => void): Promise<string> {
  const { questions, server } = options
  const ground = { sizes: [questions], server, seconds: 0, rounds: 0, writes: 0, minutes: 0, only: [] }
  return await withBenchContext(questions, ground, say, (context) => soak(context, options), options.people)
}

async function soak(context: BenchContext, options: SoakOptions): Promise<string> {
  const { db, people, traffic, say } = context
  // People have signed in at the one before: this one is cold.
  await stopForum(context.forum)
  const metricsPort = String(await freePort())
  const { url, pid } = await startForum(context.end, context.databaseUrl, { METRICS_PORT: metricsPort })
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`
  const postmaster = (await postmasterOf(db)) ?? 0
  const isBound =
    (await bindToCore([pid, postmaster], FORUM_CORE)) && (await bindToCore([process.pid], OUR_CORE))
  await bindToCore([pid, postmaster], FORUM_CORE)
  const mix = new Mix(new Random(12), people, traffic.questions.slice(0, POPULAR))
  const streams = await openStreams(
    url,
    Array.from({ length: options.streams }, () => ({
      path: `/live/questions/${/\d+/.exec(mix.question())?.[0]}`,
      cookie: mix.person().cookie,
    })),
  )
  const load = (seconds: number, seed: number) =>
    Promise.all([
      openLoop(new Random(seed), options.pages, seconds, () => send(url, mix.page())),
      openLoop(new Random(seed + 1), options.writes, seconds, () => send(url, mix.answer())),
    ]).then((answers) => answers.flat())
  const rows: string[] = []
  let before = await databaseWork(db)
  const note = async (name: string, answers: readonly Answered[]) => {
    const work = await databaseWork(db)
    const figures = await figuresOf(metrics, pid)
    const own = await ownMegabytes([postmaster])
    const done = [work.checkpoints - before.checkpoints, work.autovacuums - before.autovacuums]
    before = work
    rows.push(row(name, ...timesOf(answers), ...figures.cells, whole(own), whole(work.megabytes), ...done))
    say(rows.at(-1) ?? '')
    return figures.resident
  }
  say(row(...HEAD))
  const cold = await load(COLD_SECONDS, 1)
  const residents = [await note(`first ${COLD_SECONDS} s`, cold)]
  for (let minute = 1; minute <= options.minutes; minute += 1)
    residents.push(await note(String(minute), await load(60, 100 + 2 * minute)))
  streams.close()
  const signIn = await signInTimes(url)
  const latest = residents.slice(-Math.max(1, Math.floor(options.minutes / 3)))
  const goals = [
    ...['list', 'question'].map((kind) =>
      atMost(
        `${kind}, p99 in the first ${COLD_SECONDS} s, of the sign-in page`,
        percentile(
          cold.filter((answer) => answer.kind === kind),
          0.99,
        ) / signIn,
        COLD_GOAL,
      ),
    ),
    atMost('RSS of the forum’s process in the last third', Math.max(...latest), MEMORY_GOAL_MB, ' MB'),
  ]
  return [
    `${options.people.toLocaleString('en')} people who are signed in, ${options.pages} pages and ${options.writes} answers a second, ${streams.open} open streams, ${options.minutes} minutes after a start; a forum of ${options.questions.toLocaleString('en')} questions. ${isBound ? 'Forum and PostgreSQL on one core, the load generator on another.' : 'Not bound to cores.'} The sign-in page alone took ${signIn.toFixed(2)} ms at the end.`,
    await machineSection(db),
    table(GOAL_HEAD, goals.map(goalRow)),
    table(HEAD, rows),
    'Heap: V8’s, of which a part is in use. Buffers: memory outside of it. What RSS has beyond both is code, stacks and freed memory. PostgreSQL: its processes without shared buffers.',
  ].join('\n\n')
}

/** Of the metrics and the process itself. */
async function figuresOf(metrics: string, pid: number) {
  const text = await (await fetch(metrics)).text()
  const figure = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  const megabytes = (name: string) => whole(figure(name) / 2 ** 20)
  const [resident = 0] = await residentMegabytes(pid)
  return {
    resident,
    cells: [
      whole(resident),
      megabytes('nodejs_heap_size_total_bytes'),
      megabytes('nodejs_heap_size_used_bytes'),
      megabytes('nodejs_external_memory_bytes'),
      whole(1000 * figure('nodejs_eventloop_lag_p99_seconds')),
      whole(1000 * figure('nodejs_eventloop_lag_max_seconds')),
    ],
  }
}

/** What PostgreSQL has done since it started, and how large the database is. */
async function databaseWork(db: Database) {
  const { rows } = await sql<{ megabytes: number; checkpoints: number; autovacuums: number }>`
    select pg_database_size(current_database())::float8 / 1048576 as megabytes,
      (select sum(value::bigint) from jsonb_each_text(to_jsonb(stat)) where key in ('num_done', 'num_timed', 'num_requested',
        'checkpoints_timed', 'checkpoints_req') and not (to_jsonb(stat) ? 'num_done' and key <> 'num_done'))::float8 as checkpoints,
      (select sum(autovacuum_count + autoanalyze_count) from pg_stat_user_tables)::float8 as autovacuums
    from ${sql.raw(await checkpointView(db))} as stat`.execute(db)
  return rows[0] ?? { megabytes: 0, checkpoints: 0, autovacuums: 0 }
}

/** PostgreSQL 17 moved the figures. */
async function checkpointView(db: Database): Promise<string> {
  const { rows } = await sql<{
    has: boolean
  }>`select to_regclass('pg_stat_checkpointer') is not null as has`.execute(db)
  return rows[0]?.has === true ? 'pg_stat_checkpointer' : 'pg_stat_bgwriter'
}

function timesOf(answers: readonly Answered[]): (string | number)[] {
  const refused = answers.filter(({ status }) => status !== 200 && status !== 303).length
  const questions = answers.filter(({ kind }) => kind === 'question')
  const times = [percentile(answers, 0.5), percentile(answers, 0.99), percentile(questions, 0.99)]
  return [answers.length, ...times.map((ms) => ms.toFixed(1)), refused]
}

function percentile(answers: readonly Answered[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

const whole = (value: number | null) => (value === null || Number.isNaN(value) ? '–' : Math.round(value))
