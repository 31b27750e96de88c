import { loadavg } from 'node:os'
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

/** Seconds after the restart that have a row of their own. */
const COLD_SECONDS = 15
/** Seconds for which the forum before the restart serves the same load: the database knows what is read this evening. */
const BEFORE_SECONDS = 60
const [FORUM_CORE, OUR_CORE] = [0, 1]
const [COLD_GOAL, WARM_GOAL, MEMORY_GOAL_MB] = [100, 40, 400]

const HEAD = [
  ...['minute', 'answers', 'p50 ms', 'p99 ms', 'questions p99', 'other than 200, 303', 'RSS MB', 'heap MB'],
  ...['heap in use', 'buffers MB', 'loop p99 ms', 'loop max ms', 'collections ms', 'PostgreSQL MB'],
  ...['database MB', 'checkpoints', 'autovacuums', 'load of the machine'],
]

/** What was measured so far. */
interface Night {
  readonly streams: number
  readonly isBound: boolean
  readonly machine: string
  readonly cold: readonly Answered[]
  readonly rows: string[]
  /** Of the forum's process, in MB, by minute. */
  readonly residents: number[]
  /** p99 of questions in milliseconds, by minute. */
  readonly questions: number[]
  /** Milliseconds of the sign-in page, measured after each minute. */
  readonly signIns: number[]
}

/**
 * An exam's night for as long as one likes, with the figures of each minute: a section of Markdown.
 * @param write takes the section as it is after each minute, so that a run that ends early has told what it saw
 * @param signal ends the run, and stops all that was started for it
 */
export async function soakSection(
  options: SoakOptions,
  say: (line: string) => void,
  write: (section: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { questions, server } = options
  const ground = { sizes: [questions], server, seconds: 0, rounds: 0, writes: 0, minutes: 0, only: [] }
  await withBenchContext(
    questions,
    ground,
    say,
    (context) => soak(context, options, signal, (night) => write(sectionOf(night, options))),
    options.people,
  )
}

async function soak(
  context: BenchContext,
  options: SoakOptions,
  signal: AbortSignal,
  write: (night: Night) => Promise<void>,
): Promise<void> {
  const { db, people, traffic, say } = context
  const mix = new Mix(new Random(12), people, traffic.questions)
  const load = async (url: string, seconds: number, seed: number) => {
    const answers = await Promise.all([
      openLoop(new Random(seed), options.pages, seconds, () => send(url, mix.page()), signal),
      openLoop(new Random(seed + 1), options.writes, seconds, () => send(url, mix.answer()), signal),
    ])
    return answers.flat()
  }
  await load(context.forum.url, BEFORE_SECONDS, 3)
  await stopForum(context.forum)
  const metricsPort = String(await freePort())
  const postmaster = (await postmasterOf(db)) ?? 0
  const isBound =
    (await bindToCore([postmaster], FORUM_CORE)) && (await bindToCore([process.pid], FORUM_CORE))
  // It starts on the core that it stays on, as its parent does meanwhile.
  const { url, pid } = await startForum(context.end, context.databaseUrl, { METRICS_PORT: metricsPort })
  await bindToCore([process.pid], OUR_CORE)
  await bindToCore([pid, postmaster], FORUM_CORE)
  const metrics = `http://127.0.0.1:${metricsPort}/metrics`
  const streams = await openStreams(
    url,
    Array.from({ length: options.streams }, () => ({
      path: `/live/questions/${/\d+/.exec(mix.question())?.[0]}`,
      cookie: mix.person().cookie,
    })),
  )
  let before = { ...(await databaseWork(db)), collections: 0 }
  const note = async (name: string, answers: readonly Answered[]) => {
    const { cells, resident, collections } = await figuresOf(metrics, pid)
    const work = { ...(await databaseWork(db)), collections }
    const own = await ownMegabytes([postmaster])
    const done = (['collections', 'checkpoints', 'autovacuums'] as const).map(
      (what) => work[what] - before[what],
    )
    const [collected, ...others] = done.map(whole)
    before = work
    const line = row(
      name,
      ...timesOf(answers),
      ...cells,
      collected ?? '',
      whole(own),
      whole(work.megabytes),
      ...others,
      loadavg()[0]?.toFixed(1) ?? '',
    )
    say(line)
    return { line, resident }
  }
  say(row(...HEAD))
  const cold = await load(url, COLD_SECONDS, 1)
  const first = await note(`first ${COLD_SECONDS} s`, cold)
  const night: Night = {
    ...{ streams: streams.open, isBound, machine: await machineSection(db), cold, rows: [first.line] },
    ...{ residents: [], questions: [], signIns: [] },
  }
  for (let minute = 1; minute <= options.minutes; minute += 1) {
    const answers = await load(url, 60, 100 + 2 * minute)
    // The page has all whole minutes.
    if (signal.aborted) break
    const { line, resident } = await note(String(minute), answers)
    night.rows.push(line)
    night.residents.push(resident)
    night.questions.push(percentile(ofKind(answers, 'question'), 0.99))
    night.signIns.push(await signInTimes(url))
    await write(night)
  }
  streams.close()
}

function sectionOf(night: Night, options: SoakOptions): string {
  const minutes = night.residents.length
  const signIn = night.signIns.toSorted((one, other) => one - other)[Math.floor(minutes / 2)] ?? 0
  const latest = night.residents.slice(-Math.max(1, Math.floor(minutes / 3)))
  const goals = [
    ...['list', 'question'].map((kind) =>
      atMost(
        `${kind}, p99 in the first ${COLD_SECONDS} s, of the sign-in page`,
        percentile(ofKind(night.cold, kind), 0.99) / signIn,
        COLD_GOAL,
      ),
    ),
    atMost(
      'question, p99 of the worst minute, of the sign-in page',
      Math.max(...night.questions) / signIn,
      WARM_GOAL,
    ),
    atMost('RSS of the forum’s process in the last third', Math.max(...latest), MEMORY_GOAL_MB, ' MB'),
  ]
  const asked = minutes < options.minutes ? ` of the ${options.minutes} that were asked for` : ''
  return [
    `${options.people.toLocaleString('en')} people who are signed in, ${options.pages} pages and ${options.writes} answers a second, ${night.streams} open streams, ${minutes} minutes${asked} after a restart, before which the forum had served the same load for ${BEFORE_SECONDS} s; a forum of ${options.questions.toLocaleString('en')} questions. ${night.isBound ? 'Forum and PostgreSQL on one core, the load generator on another.' : 'Not bound to cores.'} The sign-in page alone took ${signIn.toFixed(2)} ms after a minute (median).`,
    night.machine,
    table(GOAL_HEAD, goals.map(goalRow)),
    table(HEAD, night.rows),
    'Heap: V8’s, of which a part is in use. Buffers: memory outside of it. What RSS has beyond both is code, stacks and freed memory. Collections: the time that garbage collection took. PostgreSQL: its processes without shared buffers.',
  ].join('\n\n')
}

const ofKind = (answers: readonly Answered[], wanted: string) => answers.filter(({ kind }) => kind === wanted)

/** Of the metrics and the process itself. */
async function figuresOf(metrics: string, pid: number) {
  const text = await (await fetch(metrics)).text()
  const figure = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  const megabytes = (name: string) => whole(figure(name) / 2 ** 20)
  const [resident = 0] = await residentMegabytes(pid)
  const sums = [...text.matchAll(/^nodejs_gc_duration_seconds_sum\{[^}]*\} (\S+)/gm)]
  return {
    resident,
    /** Milliseconds of garbage collection since the start. */
    collections: 1000 * sums.reduce((all, [, seconds]) => all + Number(seconds), 0),
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
  const questions = percentile(ofKind(answers, 'question'), 0.99)
  const times = [percentile(answers, 0.5), percentile(answers, 0.99), questions]
  return [answers.length, ...times.map((ms) => ms.toFixed(1)), refused]
}

function percentile(answers: readonly Answered[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

const whole = (value: number | null) => (value === null || Number.isNaN(value) ? '–' : Math.round(value))
