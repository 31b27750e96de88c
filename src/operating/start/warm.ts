import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { personOfSession } from '../../accounts/sessions/sessions.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import type { Reader } from '../../web/page-cache/reader.ts'
import { renderShared } from '../../web/page-cache/rendering.ts'
import { coursePath, questionPath } from '../../web/paths.ts'
import { newToken } from '../../web/tokens.ts'

/** The first people of a busy evening must not wait for longer than the start takes anyway. */
const LONGEST_MS = 6000
/** Different pages of a kind at once: as many as the pool has connections, each of which prepares its statements. */
const AT_ONCE = 5
/**
 * Times that each kind is asked for. A connection prepares a statement when it is sent for the third time (database/prepared.ts), and
 * PostgreSQL plans it again for five times more before it keeps a plan: planning the query of a question takes longer than the query.
 */
const ROUNDS = 9

/** A reader with an account and no rights, as most learners of public courses are to the page cache. */
const LEARNER: Reader = {
  ...{ id: 0, displayName: '', email: null, newUntil: null, theme: 'system' },
  ...{ isAdmin: false, roles: {}, owesSecondFactor: false, language: 'en', timeZone: null },
}

/** What is rendered ahead: pages that many share, for members and visitors, and addresses that are answered for each alone. */
interface Usual {
  readonly shared: readonly string[][]
  /** With something in the place of `*`, so that no answer is asked for twice. */
  readonly others: readonly string[][]
}

/**
 * Renders the usual pages before the first request comes, in production: lists, questions, search, similar questions. On a busy
 * evening many people come in the first seconds after a restart. A page that fails fails for its readers too, with a line in the log.
 * @returns the statuses of the pages that were rendered
 */
export async function warmUp(
  app: FastifyInstance,
  { isProduction }: Pick<Config, 'isProduction'>,
  rounds = ROUNDS,
): Promise<number[]> {
  if (!isProduction) return []
  const statuses: number[] = []
  const until = performance.now() + LONGEST_MS
  const render = async () => {
    const { shared, others } = await usualPaths(app.db)
    if (shared.length === 0) return
    for (let round = 0; round < rounds; round += 1) {
      const works = [
        ...[LEARNER, null].flatMap((reader) => shared.map((paths) => () => renderAll(app, paths, reader))),
        ...others.map((paths) => () => askAll(app, paths, round)),
        () => knowNobody(app, round),
      ]
      for (const work of works) {
        if (performance.now() > until) return
        statuses.push(...(await work()))
      }
    }
  }
  // A database that is slow or away does not hold up the start: /readyz says so.
  await Promise.race([
    render().catch((error: unknown) => app.log.warn({ err: error }, 'pages could not be rendered ahead')),
    sleep(LONGEST_MS, undefined, { ref: false }),
  ])
  return statuses
}

/** Renders as the page cache does, which counts views and readers only as it sends a page. */
async function renderAll(app: FastifyInstance, paths: readonly string[], reader: Reader | null) {
  const source = { language: 'en', theme: 'system', encoding: 'identity', type: '', reader } as const
  const rendered = await Promise.all(paths.map((url) => renderShared(app, { ...source, url })))
  return rendered.map(({ answer }) => answer.statusCode)
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

/** Looks up sessions and people's own parts, as each page for members does: here of people who don't exist. */
async function knowNobody(app: FastifyInstance, round: number): Promise<number[]> {
  const numbers = Array.from({ length: AT_ONCE }, (_, index) => -1 - index - round * AT_ONCE)
  await Promise.all(numbers.map(() => personOfSession(app.db, newToken())))
  await Promise.all(numbers.map((id) => app.ownParts(id)))
  return []
}

/** Pages of each kind, AT_ONCE of them. */
async function usualPaths(db: Database): Promise<Usual> {
  const questions = await db
    .selectFrom('questions')
    .innerJoin('courses', 'courses.id', 'questions.course_id')
    .select(['questions.id', 'questions.title', 'courses.slug as course'])
    .where('questions.is_listed', '=', true)
    .where('courses.is_public', '=', true)
    .orderBy('questions.id', 'desc')
    .limit(AT_ONCE)
    .execute()
  if (questions.length === 0) return { shared: [], others: [] }
  const [newest] = questions
  const lists = ['?sort=newest', '?sort=active', '?sort=votes', '?status=unresolved', '?status=unanswered']
  const course = coursePath(newest?.course ?? '')
  const titles = questions.map(({ title }) => encodeURIComponent(title.split(' ').slice(0, 3).join(' ')))
  return {
    shared: [
      questions.map((question) => questionPath(question)),
      lists.map((list) => `/questions${list}`),
      lists.map((list) => `${course}${list}`),
    ],
    others: [
      titles.map((title) => `/search?q=${title}`),
      titles.map((title) => `/questions/similar?title=${title}+*`),
      ['/?warm=*', '/courses', '/tags?warm=*', '/sign-in', '/sign-up'],
    ],
  }
}
