import { row, table } from '../../../text/markdown-table.ts'
import { Random } from '../../generate/random.ts'
import { machineSection } from '../machine.ts'
import { type BenchContext, withBenchContext } from '../speed/context.ts'
import { atMost, GOAL_HEAD, type Goal, goalRow } from '../speed/goals.ts'
import { processorTime } from '../speed/processes.ts'
import { bindToCore, ownMegabytes, postmasterOf } from './core.ts'
import { Mix } from './mix.ts'
import { type Answered, openLoop, openStreams, send } from './open-loop.ts'

interface ExamNightOptions {
  /** Questions of the forum. */
  readonly questions: number
  readonly people: number
  /** A second. */
  readonly pages: number
  /** Answers a second. */
  readonly writes: number
  readonly streams: number
  readonly seconds: number
  /** A PostgreSQL server for the forum; null: the embedded one in .data/bench. */
  readonly server: string | null
}

/** The forum's core, and the load generator’s. */
const [FORUM_CORE, OUR_CORE] = [0, 1]
const SIGN_INS = 50
/** Until code is compiled and pages are cached. */
const WARM_UP_SECONDS = 60
const MEDIAN_GOAL = 3
const P99_GOAL = 40
const MEMORY_GOAL_MB = 400

/** Signed-in people read, search and write at a fixed rate: a section of Markdown. */
export async function examNightSection(
  options: ExamNightOptions,
  say: (line: string) => void,
): Promise<string> {
  const { questions, server } = options
  const ground = { sizes: [questions], server, seconds: 0, rounds: 0, only: [] }
  return await withBenchContext(questions, ground, say, (context) => night(context, options), options.people)
}

async function night(context: BenchContext, options: ExamNightOptions): Promise<string> {
  const { db, forum, people, traffic, say } = context
  const { url } = forum
  const pids = [forum.pid, (await postmasterOf(db)) ?? 0]
  const isBound = (await bindToCore(pids, FORUM_CORE)) && (await bindToCore([process.pid], OUR_CORE))
  // Ours may have started PostgreSQL.
  await bindToCore(pids, FORUM_CORE)
  const mix = new Mix(new Random(12), people, traffic.questions)
  const signIn = await signInTimes(url)
  say(`the sign-in page takes ${signIn.toFixed(2)} ms; ${people.length} people`)
  const streams = await openStreams(
    url,
    Array.from({ length: options.streams }, () => ({
      path: `/live/questions/${/\d+/.exec(mix.question())?.[0]}`,
      cookie: mix.person().cookie,
    })),
  )
  const load = (seconds: number) =>
    Promise.all([
      openLoop(new Random(13), options.pages, seconds, () => send(url, mix.page())),
      openLoop(new Random(14), options.writes, seconds, () => send(url, mix.answer())),
    ])
  await load(WARM_UP_SECONDS)
  const before = await processorSeconds(pids)
  const began = performance.now()
  const answers = (await load(options.seconds)).flat()
  const share = ((await processorSeconds(pids)) - before) / ((performance.now() - began) / 1000)
  const megabytes = await ownMegabytes(pids)
  streams.close()
  const kinds = [...Map.groupBy(answers, ({ kind }) => kind)].map(([kind, all]) => timesOf(kind, all))
  for (const { kind, p50, p99 } of kinds) say(`${kind}: ${p50.toFixed(1)} and ${p99.toFixed(1)} ms`)
  const refused = answers.filter(({ status }) => status !== 200 && status !== 303)
  return [
    `${options.people.toLocaleString('en')} people who are signed in, ${options.pages} pages and ${options.writes} answers a second for ${options.seconds} s after ${WARM_UP_SECONDS} s to get warm, whatever the answers take; ${streams.open} open streams; a forum of ${options.questions.toLocaleString('en')} questions. ${isBound ? 'Forum and PostgreSQL on one core, the load generator on another.' : 'Not bound to cores: there is no taskset here.'} The sign-in page alone took ${signIn.toFixed(2)} ms (median of ${SIGN_INS}).`,
    await machineSection(db),
    table(GOAL_HEAD, goalsOf(kinds, signIn, refused, megabytes).map(goalRow)),
    table(
      ['', 'requests', 'p50 ms', 'p99 ms', 'p50, of the sign-in page', 'p99, of the sign-in page'],
      kinds.map(({ kind, count, p50, p99 }) =>
        row(
          kind,
          count,
          p50.toFixed(1),
          p99.toFixed(1),
          `× ${(p50 / signIn).toFixed(1)}`,
          `× ${(p99 / signIn).toFixed(0)}`,
        ),
      ),
    ),
    `Forum and PostgreSQL used ${Math.round(100 * share)} % of one core’s time.`,
  ].join('\n\n')
}

async function processorSeconds(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(processorTime))
  return times.reduce<number>((sum, time) => sum + (time ?? 0), 0)
}

interface Times {
  readonly kind: string
  readonly count: number
  readonly p50: number
  readonly p99: number
}

function goalsOf(
  kinds: readonly Times[],
  signIn: number,
  refused: readonly Answered[],
  megabytes: number | null,
): Goal[] {
  const pages = kinds.filter(({ kind }) => kind === 'list' || kind === 'question')
  return [
    ...pages.flatMap(({ kind, p50, p99 }) => [
      atMost(`${kind}, median, of the sign-in page`, p50 / signIn, MEDIAN_GOAL),
      atMost(`${kind}, p99, of the sign-in page`, p99 / signIn, P99_GOAL),
    ]),
    atMost('answers other than 200 and 303', refused.length, 0),
    atMost('memory of forum and PostgreSQL beside shared buffers', megabytes, MEMORY_GOAL_MB, ' MB'),
  ]
}

function timesOf(kind: string, answers: readonly Answered[]): Times {
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { kind, count: sorted.length, p50: at(0.5), p99: at(0.99) }
}

/** Milliseconds, the median of some one after another. */
async function signInTimes(url: string): Promise<number> {
  const answers: Answered[] = []
  for (let count = 0; count < SIGN_INS; count += 1)
    answers.push(await send(url, { kind: 'list', path: '/sign-in', method: 'GET', headers: {}, body: null }))
  return timesOf('sign-in', answers).p50
}
