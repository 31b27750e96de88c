import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { row, table } from '../../text/markdown-table.ts'
import { pathWith } from '../../web/paths.ts'
import { Random } from '../generate/random.ts'
import { postmasterOf } from './exam-night/core.ts'
import { send } from './exam-night/open-loop.ts'
import { machineSection } from './machine.ts'
import { drawSamples, type Samples } from './samples.ts'
import { type BenchContext, withBenchContext } from './speed/context.ts'
import { atMost, GOAL_HEAD, goalRow } from './speed/goals.ts'
import { fetchRaw } from './speed/pages.ts'
import type { SignedIn } from './speed/people.ts'
import { answerText, formOf } from './speed/posting.ts'
import { exactProcessorTime } from './speed/processes.ts'

interface CostOptions {
  /** Questions of the forum. */
  readonly questions: number
  /** Turns of each request. */
  readonly rounds: number
  /** A PostgreSQL server for the forum; null: the embedded one in .data/bench. */
  readonly server: string | null
}

/** What is requested in turns. */
interface Request {
  readonly name: string
  /** Of the sign-in page's time; null: there is none. */
  readonly goal: number | null
  /** Requests of a turn. */
  readonly count: number
  /** Milliseconds until what it leaves to jobs is done. */
  readonly settles: number
  /** How often each request of a turn was sent before, by the same person and not measured. */
  readonly sentBefore: number
  /** @param number of the request, from 0: others ask for other things */
  send(number: number): Promise<number | string>
}

/** A flash cookie with an invalid signature: it bypasses the cache and shows no message, so the page is rendered. */
const FRESH = '; flash=none'
const REFERENCE = 'sign-in page'
const WARM_ROUNDS = 8
const TURN = 12
/** Questions that are read: their related questions are remembered, as of all that are read again. */
const QUESTIONS = 48
/** A page is cached when it is requested for the second time. */
const UNTIL_CACHED = 2

/**
 * What requests cost, one after another in turns, so that a change of the machine's speed meets all of them: milliseconds of
 * processor time of Node and PostgreSQL, medians of the turns. A section of Markdown.
 */
export async function costSection(options: CostOptions, say: (line: string) => void): Promise<string> {
  const { questions, server } = options
  const ground = { sizes: [questions], server, seconds: 0, rounds: 0, only: [] }
  return await withBenchContext(questions, ground, say, (context) => costs(context, options))
}

async function costs(context: BenchContext, { questions, rounds }: CostOptions): Promise<string> {
  const { db, forum, say } = context
  const onlookers = await onlookersAmong(db, context.people)
  const requests = requestsOf(context, await drawSamples(db), onlookers)
  const postmaster = (await postmasterOf(db)) ?? 0
  const turns = new Map<string, Turn[]>(requests.map(({ name }) => [name, []]))
  for (let round = 0; round < WARM_ROUNDS + rounds; round += 1) {
    say(round < WARM_ROUNDS ? `warming up ${round + 1}` : `round ${round - WARM_ROUNDS + 1} of ${rounds}`)
    for (const request of requests) {
      const turn = await measureTurn(request, round, forum.pid, postmaster)
      if (round >= WARM_ROUNDS) turns.get(request.name)?.push(turn)
    }
  }
  const medians = requests.map(({ name, goal }) => ({ name, goal, ...medianOf(turns.get(name) ?? []) }))
  const reference = medians.find(({ name }) => name === REFERENCE)
  const unit = reference === undefined ? 1 : reference.node + reference.postgres
  const timeUnit = reference?.time ?? 1
  for (const { name, node, postgres } of medians)
    say(`${name}: ${node.toFixed(2)} + ${postgres.toFixed(2)} ms, × ${((node + postgres) / unit).toFixed(1)}`)
  return [
    `Milliseconds for a request, one after another in one process, in a forum of ${questions.toLocaleString('en')} questions: processor time of Node and of PostgreSQL, and the time that passed; medians of ${rounds} turns of up to ${TURN} requests, after ${WARM_ROUNDS} turns to get warm. The requests of a turn differ in words, questions and people, who have all opened a page before. What is from the cache was requested twice before it is measured, by people who have written nothing. An answer’s processor time includes the jobs it leaves.`,
    await machineSection(db),
    table(
      GOAL_HEAD,
      medians.flatMap(({ name, goal, time }) =>
        goal === null
          ? []
          : [goalRow(atMost(`${name}, time beside the sign-in page’s`, time / timeUnit, goal))],
      ),
    ),
    table(
      ['request', 'Node', 'PostgreSQL', 'processor time, of the sign-in page', 'time', 'of the sign-in page'],
      medians.map(({ name, node, postgres, time }) =>
        row(
          name,
          node.toFixed(2),
          postgres.toFixed(2),
          `× ${((node + postgres) / unit).toFixed(1)}`,
          time.toFixed(2),
          `× ${(time / timeUnit).toFixed(1)}`,
        ),
      ),
    ),
  ].join('\n\n')
}

/** Milliseconds for a request. */
interface Turn {
  readonly node: number
  readonly postgres: number
  readonly time: number
}

async function measureTurn(request: Request, round: number, node: number, postgres: number): Promise<Turn> {
  for (let time = 0; time < request.sentBefore; time += 1) await sendTurn(request, round)
  const used = () => Promise.all([node, postgres].map(async (pid) => (await exactProcessorTime(pid)) ?? 0))
  const before = await used()
  const times = await sendTurn(request, round)
  await sleep(request.settles)
  const after = await used()
  const [ofNode = 0, ofPostgres = 0] = after.map(
    (time, index) => (time - (before[index] ?? 0)) / request.count,
  )
  return {
    node: ofNode,
    postgres: ofPostgres,
    time: times.reduce((sum, time) => sum + time, 0) / times.length,
  }
}

/** @returns the milliseconds that each request took */
async function sendTurn({ name, count, send }: Request, round: number): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < count; number += 1) {
    const began = performance.now()
    const status = await send(round * count + number)
    times.push(performance.now() - began)
    if (status !== 200 && status !== 303) throw new Error(`${name} answered ${status}`)
  }
  return times
}

/** Those who have no part in anything: a page with a part of theirs would be rendered for them alone. */
async function onlookersAmong(db: Database, people: readonly SignedIn[]): Promise<SignedIn[]> {
  const { rows } = await sql<{ id: number }>`
    select id from people as person where id = any(${people.map(({ id }) => id)}::bigint[])
      and not exists (select from course_members where person_id = person.id)`.execute(db)
  const ids = new Set(rows.map(({ id }) => id))
  return people.filter(({ id }) => ids.has(id))
}

function medianOf(turns: readonly Turn[]): Turn {
  const median = (values: number[]) =>
    values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
  return {
    node: median(turns.map(({ node }) => node)),
    postgres: median(turns.map(({ postgres }) => postgres)),
    time: median(turns.map(({ time }) => time)),
  }
}

const LISTS = ['/', '/questions?status=unanswered', '/questions?sort=active', '/questions?status=unresolved']

/** @param onlookers they read cached pages, and never write */
function requestsOf(
  { forum, people, traffic }: BenchContext,
  samples: Samples,
  onlookers: readonly SignedIn[],
): Request[] {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const random = new Random(5)
  const searches = searchesOf(samples)
  const of = <Item>(items: readonly Item[], number: number) => items[number % items.length]
  const nobody: SignedIn = { id: 0, cookie: '', token: '' }
  const members = people.filter((person) => !onlookers.includes(person))
  const memberOf = (number: number) => of(members, number) ?? nobody
  const onlookerOf = (number: number) => of(onlookers, number) ?? nobody
  const get = async (path: string, cookie: string) =>
    (await fetchRaw(forum.url, path, { cookie }, agent)).status
  const page = (
    name: string,
    goal: number | null,
    pathOf: (number: number) => string,
    added = '',
  ): Request => ({
    name,
    goal,
    count: TURN,
    settles: 0,
    sentBefore: 0,
    send: (number) => get(pathOf(number), memberOf(number).cookie + added),
  })
  const cachedPage = (name: string, pathOf: (number: number) => string): Request => ({
    ...page(name, null, pathOf),
    sentBefore: UNTIL_CACHED,
    send: (number) => get(pathOf(number), onlookerOf(number).cookie),
  })
  const listOf = (number: number) => of(LISTS, number) ?? '/'
  const questionOf = (number: number) => traffic.questions[number % QUESTIONS] ?? '/'
  const searchOf = (number: number) => of(searches, number) ?? ''
  return [
    { ...page(REFERENCE, null, () => '/sign-in'), send: () => get('/sign-in', '') },
    cachedPage('list from the cache', listOf),
    cachedPage('question from the cache', questionOf),
    // The first that the people of a round ask for: their sessions and own parts are remembered from then on.
    { ...page('list rendered', null, listOf, FRESH), sentBefore: 1 },
    page('question rendered', null, questionOf, FRESH),
    page('search', 4, (number) => pathWith('/search', { q: searchOf(number) })),
    ...kindsOfSearches(samples).map(([name, wordsOf]) =>
      page(name, null, (number) => pathWith('/search', { q: wordsOf(number) })),
    ),
    page('suggestions', 2, (number) =>
      pathWith('/search/suggestions', { q: searchOf(number).slice(0, 3 + random.below(4)) }),
    ),
    page('similar questions', 3, (number) =>
      pathWith('/questions/similar', { title: of(samples.titles, number) ?? '' }),
    ),
    {
      name: 'answer',
      goal: null,
      count: 6,
      settles: 400,
      sentBefore: 0,
      send: async (number) => {
        const path = `${/^\/questions\/\d+/.exec(questionOf(number * 7))?.[0]}/answers`
        const form = formOf(memberOf(number * 11), path, { body: answerText() })
        return (await send(forum.url, { kind: 'answer', ...form })).status
      },
    },
  ]
}

/** Searches of one kind, which cost more or less: each is of other words. */
function kindsOfSearches({ commonWords, middleWords, koreanWords, unknownWords }: Samples) {
  const of = (words: readonly string[], number: number) => words[number % words.length] ?? ''
  return [
    ['search, a common word', (number: number) => of(commonWords, number)],
    ['search, two words', (number: number) => `${of(commonWords, number)} ${of(middleWords, number * 3)}`],
    ['search, Korean', (number: number) => of(koreanWords, number)],
    ['search, a word that is nowhere', (number: number) => of(unknownWords, number)],
  ] as const
}

/** As people search: common and less common words, two of them, Korean ones, names in code, phrases. */
function searchesOf({ commonWords, middleWords, koreanWords, identifiers }: Samples): string[] {
  return middleWords.flatMap((middle, index) => {
    const common = commonWords[index % commonWords.length] ?? ''
    const other = commonWords[(index * 7 + 3) % commonWords.length] ?? ''
    const korean = koreanWords[index % koreanWords.length] ?? ''
    return [common, middle, `${common} ${middle}`, `${common} ${other}`, korean, identifiers[index] ?? middle]
  })
}
