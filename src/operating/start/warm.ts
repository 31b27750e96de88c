import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { personOfSession } from '../../accounts/sessions/sessions.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { ownRows } from '../../forum/notifications/own.ts'
import { isLaborious } from '../../text/markdown.ts'
import type { Reader } from '../../web/page-cache/reader.ts'
import { renderShared } from '../../web/page-cache/rendering.ts'
import { coursePath, questionPath } from '../../web/paths.ts'
import { newToken } from '../../web/tokens.ts'
import { type Rehearsed, rehearseAnswers } from './rehearse.ts'
import { type Popular, popularQuestions, usualReader } from './usual-pages.ts'

/** Enough for most rounds where forum and database share one slow core: without them the first pages take seconds there. */
const LONGEST_MS = 12_000
/** Different pages of a kind at once: as many as the pool has connections, each of which prepares its statements. */
const AT_ONCE = 5
/**
 * Times that each kind is asked for. A connection prepares a statement when it is sent for the third time (database/prepared.ts), and
 * PostgreSQL plans it again for five times more before it keeps a plan: planning the query of a question takes longer than the query.
 */
const ROUNDS = 9
/** Pages of questions that are kept in each round: in all some two hundred, of which most people read most of what they read. */
const KEPT_OF_ROUND = 25
/** People who are expected, and how many of them are read at once. */
const [EXPECTED, EXPECTED_AT_ONCE] = [4000, 100]

interface WarmUpOptions {
  readonly rounds?: number
  /** Ends it: the forum is being stopped again. */
  readonly signal?: AbortSignal
}

/**
 * Renders the usual pages before the first request comes, in production: lists, questions, search, similar questions. On a busy
 * evening many people come in the first seconds after a restart: what most of them read is kept in the page cache as well. A page
 * that fails fails for its readers too, with a line in the log.
 * @returns the statuses of the pages that were rendered
 */
export async function warmUp(
  app: FastifyInstance,
  { isProduction }: Pick<Config, 'isProduction'>,
  { rounds = ROUNDS, signal }: WarmUpOptions = {},
): Promise<number[]> {
  if (!isProduction) return []
  const statuses: number[] = []
  const until = performance.now() + LONGEST_MS
  const isOver = () => performance.now() > until || signal?.aborted === true
  const render = async () => {
    const reader = await usualReader(app.db, app.courses)
    const popularOf = async (one: Reader | null, count: number) =>
      popularQuestions(app.db, (await app.courses.readable(one)).ids, count)
    const popular = await popularOf(reader, rounds * KEPT_OF_ROUND)
    const [members, visitors] = [popular.slice(0, AT_ONCE), await popularOf(null, AT_ONCE)]
    if (members.length + visitors.length === 0) return
    const shared = [
      ...sharedPaths(members).map((paths) => () => renderAll(app, paths, reader)),
      ...sharedPaths(visitors).map((paths) => () => renderAll(app, paths, null)),
    ]
    const others = otherPaths(visitors)
    const answers = await answersTo(app.db, members)
    for (let round = 0; round < rounds; round += 1) {
      const works = [
        ...shared,
        () => keepAll(app, popular.splice(0, KEPT_OF_ROUND), reader),
        ...others.map((paths) => () => askAll(app, paths, round)),
        () => knowNobody(app, round),
        () => rehearseAnswers(app, answers),
      ]
      for (const work of works) {
        if (isOver()) return
        statuses.push(...((await work()) ?? []))
      }
    }
    await expectPeople(app, isOver)
  }
  // A database that is slow or away does not hold up the start: /readyz says so.
  await Promise.race([
    render().catch((error: unknown) => app.log.warn({ err: error }, 'pages could not be rendered ahead')),
    sleep(LONGEST_MS, undefined, { ref: false }),
  ])
  return statuses
}

const PLAIN = { theme: 'system', encoding: 'identity', type: '' } as const

/** Renders as the page cache does, which counts views and readers only as it sends a page. */
async function renderAll(app: FastifyInstance, paths: readonly string[], reader: Reader | null) {
  const source = { ...PLAIN, language: reader?.language ?? 'en', reader }
  const rendered = await Promise.all(paths.map((url) => renderShared(app, { ...source, url })))
  return rendered.map(({ answer }) => answer.statusCode)
}

/** Keeps the pages of questions for most members, whose browsers ask for the language of the course. */
async function keepAll(
  app: FastifyInstance,
  questions: readonly Popular[],
  usual: Reader,
): Promise<number[]> {
  const { members } = app.pageCache ?? {}
  const statuses: (number | null)[] = []
  const keep = async (question: Popular) => {
    const language = usual.language ?? question.language
    const source = { ...PLAIN, url: questionPath(question), language, reader: { ...usual, language } }
    statuses.push((await members?.renderAhead(source)) ?? null)
  }
  for (let from = 0; from < questions.length; from += AT_ONCE)
    await Promise.all(questions.slice(from, from + AT_ONCE).map(keep))
  return statuses.filter((status) => status !== null)
}

/** Asks as a visitor without a name, who isn't counted. */
async function askAll(app: FastifyInstance, paths: readonly string[], round: number): Promise<number[]> {
  const { protocol, host } = new URL(app.config.baseUrl)
  const headers = { host, 'user-agent': '', 'x-forwarded-proto': protocol.slice(0, -1) }
  const answers = await Promise.all(
    paths.map((path) => app.inject({ url: path.replace('*', String(round)), headers })),
  )
  return answers.map(({ statusCode }) => statusCode)
}

/** Looks up sessions and people's own parts on each connection, as pages for members do: here of people who don't exist. */
async function knowNobody(app: FastifyInstance, round: number): Promise<void> {
  const numbers = Array.from({ length: AT_ONCE }, (_, index) => -1 - index - round * AT_ONCE)
  await Promise.all(numbers.map(() => personOfSession(app.db, newToken())))
  await Promise.all(numbers.map((id) => ownRows(app.db, [id])))
}

/** Answers with the texts of the questions, by who asked them, without texts that take long to render. */
async function answersTo(db: Database, questions: readonly Popular[]): Promise<Rehearsed[]> {
  const ids = questions.map(({ id }) => id)
  const { rows } = await sql<Rehearsed>`
    select id as "questionId", author_id as "authorId", body from questions where id = any(${ids}::bigint[])`.execute(
    db,
  )
  return rows.filter(({ body }) => !isLaborious(body))
}

/** Those who were here a moment ago come again at once: who they are, and what they have of their own in pages, is known then. */
async function expectPeople(app: FastifyInstance, isOver: () => boolean): Promise<void> {
  const people = await app.expectRecentPeople(EXPECTED)
  for (let from = 0; from < people.length && !isOver(); from += EXPECTED_AT_ONCE)
    await Promise.all(people.slice(from, from + EXPECTED_AT_ONCE).map(({ id }) => app.ownParts(id)))
}

/** Pages that many share, as many of each kind as there are questions. */
function sharedPaths(questions: readonly Popular[]): string[][] {
  const lists = ['?sort=newest', '?sort=active', '?sort=votes', '?status=unresolved', '?status=unanswered']
  const [first] = questions
  return [
    lists.map((list) => `/questions${list}`),
    ...(first === undefined ? [] : [lists.map((list) => `${coursePath(first.course)}${list}`)]),
    questions.map((question) => questionPath(question)),
  ]
}

/** Addresses that are answered for each alone, with something in the place of `*`, so that no answer is asked for twice. */
function otherPaths(questions: readonly Popular[]): string[][] {
  const titles = questions.map(({ title }) => encodeURIComponent(title.split(' ').slice(0, 3).join(' ')))
  return [
    titles.map((title) => `/search?q=${title}`),
    titles.map((title) => `/questions/similar?title=${title}+*`),
    ['/?warm=*', '/courses', '/tags?warm=*', '/sign-in', '/sign-up'],
  ]
}
