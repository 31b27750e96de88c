import { table } from '../../../text/markdown-table.ts'
import type { BenchContext } from './context.ts'
import { atLeast, type Goal, LOAD_HEAD, loadRow, ratio } from './goals.ts'
import { alternating, read } from './load.ts'
import { startNginx } from './nginx.ts'
import { fetchPages } from './pages.ts'
import { startForum } from './processes.ts'
import { findProgram, type Program } from './programs.ts'
import { figures, type Part, reading } from './readers.ts'
import { requestsFor } from './traffic.ts'

const WORKERS = 2

/** Two workers behind one port, beside nginx with two workers serving the same bytes from files. */
export async function coresPart(context: BenchContext): Promise<Part> {
  const nginx = await findProgram('nginx', ['nginx'])
  if (nginx === null) {
    return {
      text: '### Two workers\n\nNot measured: there is no nginx here, and `apt-get download nginx` brings none.',
      goals: [],
    }
  }
  const forum = await startForum(context.end, context.databaseUrl, { WORKERS: String(WORKERS) })
  const rows: string[] = []
  const goals: Goal[] = []
  for (const kind of ['list', 'question'] as const) {
    const { rows: more, goal } = await compare(context, forum, nginx, kind)
    rows.push(...more)
    goals.push(goal)
  }
  forum.kill('SIGTERM')
  await forum.ended
  return { text: `### Two workers\n\n${table(LOAD_HEAD, rows)}`, goals }
}

async function compare(
  context: BenchContext,
  forum: Awaited<ReturnType<typeof startForum>>,
  nginx: Program,
  kind: 'list' | 'question',
) {
  const { end, options, traffic, wrk, say } = context
  say(`two workers: fetching every ${kind} from each`)
  const paths = kind === 'list' ? traffic.lists : traffic.questions
  // Connections are distributed over the workers in turn: each caches its pages, at the second request.
  for (let worker = 0; worker < WORKERS; worker += 1) await fetchPages(forum.url, paths, { connections: 1 })
  for (let worker = 0; worker < WORKERS; worker += 1) await fetchPages(forum.url, paths, { connections: 1 })
  const files = await startNginx(end, nginx, WORKERS, await fetchPages(forum.url, paths))
  const results = await alternating(
    {
      forum: reading(context, forum, kind),
      nginx: () => read({ server: files, requests: requestsFor(files.paths) }, wrk, options.seconds),
    },
    options.rounds,
  )
  say(`two workers, ${kind}: ${figures(results)}`)
  return {
    rows: [
      loadRow(`visitor’s ${kind}, WORKERS=${WORKERS}`, results.forum, results.nginx),
      loadRow(`(d) nginx sending the same ${kind}s from files`, results.nginx, null),
    ],
    goal: atLeast(`visitor’s ${kind} with two workers, of (d)`, ratio(results.forum, results.nginx), 0.6),
  }
}
