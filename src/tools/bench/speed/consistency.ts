import { Agent } from 'node:http'
import { Random } from '../../../operating/generate/random.ts'
import { Zipf } from '../../../operating/generate/zipf.ts'
import { withoutTokens } from '../../../testing/page.ts'
import type { BenchContext } from './context.ts'
import { atMost } from './goals.ts'
import { fetchUnlimited, type RawPage } from './pages.ts'
import { type Server, startForum, stopForum } from './processes.ts'
import type { Part } from './readers.ts'
import { startWriting } from './writer.ts'

/** Readers per process, who open one page after another, and writes per second over both processes. */
const READERS = 8
const WRITES_PER_SECOND = 20
/** A flash cookie with an invalid signature: it bypasses the cache and shows no message, so the page is fresh. */
const FRESH = 'flash=none'
const PLAIN = { 'accept-encoding': 'identity' }

/** Checks that the cached pages of two processes equal fresh ones after minutes of reads and writes in both. */
export async function consistencyPart(context: BenchContext): Promise<Part> {
  const { end, databaseUrl, people, questionIds, traffic, options, say } = context
  // A separate pair, because an earlier process may have evicted related questions from its cache.
  const servers = [await startForum(end, databaseUrl), await startForum(end, databaseUrl)]
  const paths = [...traffic.lists, ...traffic.questions]
  say(`consistency: reading and writing for ${options.minutes} minutes`)
  const writers = servers.map(({ url }) => startWriting(url, people, questionIds, WRITES_PER_SECOND / 2))
  const until = Date.now() + options.minutes * 60_000
  // Many people, as one would soon reach the limit of pages for one account.
  const cookies = people.map((person) => person.cookie)
  const readers = servers.flatMap((server) =>
    Array.from({ length: READERS }, (_, seed) =>
      readUntil(until, server, paths, { seed, cookies: seed % 2 === 0 ? [] : cookies }),
    ),
  )
  const read = sum(await Promise.all(readers))
  const written = sum(await Promise.all(writers.map((writer) => writer.stop())))
  const different = [
    ...(await Promise.all(servers.map((server) => differences(server, paths, [])))).flat(),
    ...(await Promise.all(servers.map((server) => differences(server, paths, cookies)))).flat(),
  ]
  for (const difference of different) say(`consistency: ${difference}`)
  await Promise.all(servers.map(stopForum))
  return {
    text: [
      '### Cached pages after a mixed load',
      `${read.toLocaleString('en')} pages read and ${written.toLocaleString('en')} writes made in two processes in ${options.minutes} minutes; then ${paths.length.toLocaleString('en')} pages of each process, as visitors and as people who are signed in see them, compared with fresh ones, byte by byte but for forms’ tokens: ${different.length} were different.`,
    ].join('\n\n'),
    goals: [atMost('cached pages that are not what a fresh one would be', different.length, 0)],
  }
}

/**
 * Lists and questions in equal parts, each by Zipf's law.
 * @param cookies of the readers in turn; none: visitors
 * @returns the number of pages
 */
async function readUntil(
  until: number,
  { url }: Server,
  paths: readonly string[],
  { seed, cookies }: { readonly seed: number; readonly cookies: readonly string[] },
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const random = new Random(seed + 1)
  const zipf = new Zipf(paths.length)
  let count = 0
  for (; Date.now() < until; count += 1)
    await fetchUnlimited(
      url,
      paths[zipf.draw(random)] ?? '/',
      { ...PLAIN, cookie: inTurn(cookies, count) },
      agent,
    )
  agent.destroy()
  return count
}

const inTurn = (cookies: readonly string[], count: number) => cookies[count % cookies.length] ?? ''

async function differences(
  { url }: Server,
  paths: readonly string[],
  cookies: readonly string[],
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const found: string[] = []
  const differenceOf = async (path: string, cookie: string) => {
    const cached = await fetchUnlimited(url, path, { ...PLAIN, cookie }, agent)
    const fresh = await fetchUnlimited(url, path, { ...PLAIN, cookie: `${cookie}; ${FRESH}` }, agent)
    return firstDifference(linesOf(cached), linesOf(fresh))
  }
  for (const [count, path] of paths.entries()) {
    const difference = await differenceOf(path, inTurn(cookies, count))
    if (difference !== null)
      found.push(`${url}${path}${cookies.length === 0 ? '' : ', signed in'}: ${difference}`)
  }
  agent.destroy()
  return found
}

/** Without views, whose number may be minutes old. */
function linesOf({ status, body }: RawPage): string[] {
  const html = withoutTokens(body.toString()).replace(/\d[\d,]* views?/g, 'views')
  return [String(status), ...html.split('\n')]
}

/** @returns null: there is none */
function firstDifference(cached: readonly string[], fresh: readonly string[]): string | null {
  const length = Math.max(cached.length, fresh.length)
  const place = Array.from({ length }, (_, line) => line).find((line) => cached[line] !== fresh[line])
  return place === undefined ? null : `«${cached[place]}» instead of «${fresh[place]}»`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
