import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { coursePath, questionPath } from '../../web/paths.ts'

/** The first people of a busy evening must not wait for longer than the start takes anyway. */
const LONGEST_MS = 4000
/** Different pages of a kind at once: as many as the pool has connections, each of which prepares its statements. */
const AT_ONCE = 5
/**
 * Times that each kind is asked for. A connection prepares a statement when it is sent for the third time (database/prepared.ts), and
 * PostgreSQL plans it anew for five times more before it keeps a plan: planning the query of a question takes longer than the query.
 */
const ROUNDS = 9

/**
 * Renders the usual pages before the first request comes, in production: lists, questions, search, similar questions. Whoever comes
 * first after a restart is many. A page that fails fails for its readers too, with a line in the log.
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
    const kinds = await usualPaths(app.db)
    for (let round = 0; round < rounds; round += 1)
      for (const paths of kinds) {
        if (performance.now() > until) return
        statuses.push(...(await Promise.all(paths.map((path) => renderOnce(app, path, round)))))
      }
  }
  // A database that is slow or away does not hold up the start: /readyz says so.
  await Promise.race([
    render().catch((error: unknown) => app.log.warn({ err: error }, 'pages could not be rendered ahead')),
    sleep(LONGEST_MS, undefined, { ref: false }),
  ])
  return statuses
}

/** As a visitor without a name, whom nobody counts. No address is asked for twice: it would come from the page cache. */
async function renderOnce(app: FastifyInstance, path: string, round: number): Promise<number> {
  const { protocol, host } = new URL(app.config.baseUrl)
  const headers = { host, 'user-agent': '', 'x-forwarded-proto': protocol.slice(0, -1) }
  const url = `${path}${path.includes('?') ? '&' : '?'}warm=${round}`
  return (await app.inject({ url, headers })).statusCode
}

/** Pages of each kind, AT_ONCE of them. */
async function usualPaths(db: Database): Promise<string[][]> {
  const questions = await db
    .selectFrom('questions')
    .innerJoin('courses', 'courses.id', 'questions.course_id')
    .select(['questions.id', 'questions.title', 'courses.slug as course'])
    .where('questions.is_listed', '=', true)
    .where('courses.is_public', '=', true)
    .orderBy('questions.id', 'desc')
    .limit(AT_ONCE)
    .execute()
  if (questions.length === 0) return []
  const [newest] = questions
  const lists = ['?sort=newest', '?sort=active', '?sort=votes', '?status=unresolved', '?status=unanswered']
  const course = coursePath(newest?.course ?? '')
  return [
    questions.map((question) => questionPath(question)),
    lists.map((list) => `/questions${list}`),
    lists.map((list) => `${course}${list}`),
    questions.map(({ title }) => `/search?q=${encodeURIComponent(title.split(' ').slice(0, 3).join(' '))}`),
    ['/', '/courses', '/tags', '/sign-in', '/sign-up'],
  ]
}
