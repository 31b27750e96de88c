import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchUnlimited } from './pages.ts'
import type { SignedIn } from './people.ts'
import { answerText } from './posting.ts'
import type { Server } from './processes.ts'
import { post } from './writer.ts'

/** How long pages stay stale after an acknowledged write. */
export interface Freshness {
  readonly writes: number
  /** Stale pages from the process that took the write. */
  readonly staleHere: number
  /** Milliseconds until another process sends the new page: median and maximum. */
  readonly medianElsewhere: number
  readonly worstElsewhere: number
}

const PLAIN = { 'accept-encoding': 'identity' }

/**
 * Posts answers through one process, and requests the question and the list of latest answers at once, as a visitor:
 * from the same process, which must never send stale ones, and from another until it sends fresh ones.
 */
export async function measureFreshness(
  [here, elsewhere]: readonly [Server, Server],
  people: readonly SignedIn[],
  questionPaths: readonly string[],
  writes: number,
): Promise<Freshness> {
  const agent = new Agent({ keepAlive: true })
  const list = '/questions?sort=active'
  const late: number[] = []
  let staleHere = 0
  for (let number = 0; number < writes; number += 1) {
    const path = questionPaths[number % questionPaths.length] ?? ''
    const person = people[number % people.length]
    if (person === undefined) throw new Error('nobody writes')
    const pages = [here, elsewhere].flatMap(({ url }) => [path, list].map((one) => [url, one] as const))
    for (const [url, page] of pages) await fetchUnlimited(url, page, PLAIN, agent)
    const id = /^\/questions\/(\d+)/.exec(path)?.[1]
    const location = await post(here.url, agent, person, `/questions/${id}/answers`, { body: answerText() })
    const begun = performance.now()
    const isNew = async (server: Server) => {
      const [question, active] = await Promise.all(
        [path, list].map((page) => fetchUnlimited(server.url, page, PLAIN, agent)),
      )
      const first = /class="question-title"[^>]*><a href="([^"]+)"/.exec(active?.body.toString() ?? '')?.[1]
      const anchor = `id="${location.replace(/^.*#/, '')}"`
      return first === path && (question?.body.includes(anchor) ?? false)
    }
    const [isFresh] = await Promise.all([isNew(here), until(() => isNew(elsewhere))])
    if (!isFresh) staleHere += 1
    late.push(performance.now() - begun)
  }
  agent.destroy()
  late.sort((one, other) => one - other)
  return {
    writes,
    staleHere,
    medianElsewhere: late[Math.floor(late.length / 2)] ?? 0,
    worstElsewhere: late.at(-1) ?? 0,
  }
}

/** @throws Error after ten seconds */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('another process never showed a write')
    await sleep(1)
  }
}
