import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../generate/random.ts'
import { Zipf } from '../../generate/zipf.ts'
import { withoutTokens } from '../../testing/page.ts'
import { atMost } from './goals.ts'
import type { Ground } from './ground.ts'
import { fetchPages, fetchRaw, type RawPage } from './pages.ts'
import { type Server, startForum, stopForum } from './processes.ts'
import type { Part } from './readers.ts'
import { startWriting } from './writer.ts'

/** Readers of each process, who open one page after another, and writes a second, half of them in each process. */
const READERS = 8
const WRITES = 20
/** Views wait for five seconds before they are counted; in milliseconds. */
const SETTLING = 6000

/** A signed message would be shown: whoever has one gets a page of their own, made now, and this one says nothing. */
const FRESH = 'flash=none'
const PLAIN = { 'accept-encoding': 'identity' }

/** Whether each page that two processes keep is what a fresh one would be, after minutes of reading and writing in both. */
export async function consistencyPart(ground: Ground): Promise<Part> {
  const { end, databaseUrl, people, questionIds, traffic, options, say } = ground
  // Of its own: another one may have been asked for more pages than it remembers related questions of.
  const servers = [await startForum(end, databaseUrl), await startForum(end, databaseUrl)]
  const paths = [...traffic.lists, ...traffic.questions]
  say(`consistency: reading and writing for ${options.minutes} minutes`)
  const writers = servers.map(({ url }) => startWriting(url, people, questionIds, WRITES / 2))
  const until = Date.now() + options.minutes * 60_000
  const cookies = ['', ...people.map((person) => person.cookie)]
  const readers = servers.flatMap((server) =>
    Array.from({ length: READERS }, (_, seed) =>
      readUntil(until, server, paths, { seed, cookie: cookies[seed % 2] ?? '' }),
    ),
  )
  const read = sum(await Promise.all(readers))
  const written = sum(await Promise.all(writers.map((writer) => writer.stop())))
  // Each page is looked at once, so that no view is counted while pages are compared.
  const bystander = people.at(-1)?.cookie ?? ''
  for (const { url } of servers) await fetchPages(url, paths)
  for (const { url } of servers) await fetchPages(url, paths, { headers: { cookie: bystander } })
  await sleep(SETTLING)
  const different = [
    ...(await Promise.all(servers.map((server) => differences(server, paths, '')))).flat(),
    ...(await Promise.all(servers.map((server) => differences(server, paths, bystander)))).flat(),
  ]
  for (const difference of different) say(`consistency: ${difference}`)
  await Promise.all(servers.map(stopForum))
  return {
    text: [
      '### Kept pages after a mixed load',
      `${read.toLocaleString('en')} pages read and ${written.toLocaleString('en')} writes made in two processes in ${options.minutes} minutes; then ${paths.length.toLocaleString('en')} pages of each process, as visitors and as somebody signed in sees them, compared with fresh ones, byte by byte but for forms’ tokens: ${different.length} were different.`,
    ].join('\n\n'),
    goals: [atMost('kept pages that are not what a fresh one would be', different.length, 0)],
  }
}

/** Lists as often as questions, each by Zipf's law. @returns how many pages */
async function readUntil(
  until: number,
  { url }: Server,
  paths: readonly string[],
  { seed, cookie }: { readonly seed: number; readonly cookie: string },
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const random = new Random(seed + 1)
  const zipf = new Zipf(paths.length)
  let count = 0
  for (; Date.now() < until; count += 1)
    await fetchRaw(url, paths[zipf.draw(random)] ?? '/', { ...PLAIN, cookie }, agent)
  agent.destroy()
  return count
}

async function differences({ url }: Server, paths: readonly string[], cookie: string): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const found: string[] = []
  const differenceOf = async (path: string) => {
    const kept = await fetchRaw(url, path, { ...PLAIN, cookie }, agent)
    const fresh = await fetchRaw(url, path, { ...PLAIN, cookie: `${cookie}; ${FRESH}` }, agent)
    return firstDifference(linesOf(kept), linesOf(fresh))
  }
  for (const path of paths) {
    // Views of popular questions are written minutes later, so that one may come between the two: then it is looked at again.
    const difference = (await differenceOf(path)) && (await differenceOf(path))
    if (difference !== null) found.push(`${url}${path}${cookie === '' ? '' : ', signed in'}: ${difference}`)
  }
  agent.destroy()
  return found
}

function linesOf({ status, body }: RawPage): string[] {
  return [String(status), ...withoutTokens(body.toString()).split('\n')]
}

/** @returns null: there is none */
function firstDifference(kept: readonly string[], fresh: readonly string[]): string | null {
  const length = Math.max(kept.length, fresh.length)
  const place = Array.from({ length }, (_, line) => line).find((line) => kept[line] !== fresh[line])
  return place === undefined ? null : `«${kept[place]}» instead of «${fresh[place]}»`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
