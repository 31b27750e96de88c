import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { runCommand } from '../../../testing/command.ts'
import { BROWSER_HEADERS, type Load, type Result } from './page-requests.ts'
import { PROGRAMS, type Program } from './programs.ts'

const summary = z.object({
  requests: z.number(),
  duration: z.number(),
  refused: z.number(),
  failed: z.number(),
  p50: z.number(),
  p99: z.number(),
})

/**
 * Reads pages with wrk on one thread: it takes a tenth of autocannon's processor time, and leaves the rest to the
 * server.
 * @throws Error when a response was no page
 */
export async function readWithWrk(
  wrk: Program,
  { server, requests }: Load,
  connections: number,
  seconds: number,
): Promise<Omit<Result, 'processor'> & { readonly count: number }> {
  const file = join(PROGRAMS, `requests-${process.pid}.txt`)
  await writeFile(file, requests.map(({ path, cookie }) => `${path}\t${cookie ?? ''}\n`).join(''))
  const script = join(import.meta.dirname, 'wrk.lua')
  const size = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '30s']
  const headers = Object.entries(BROWSER_HEADERS).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const end = await runCommand(wrk.path, [...size, ...headers, '-s', script, server.url, '--', file], wrk)
  await rm(file)
  const line = end.output.trim().split('\n').at(-1) ?? ''
  if (end.code !== 0 || !line.startsWith('{')) throw new Error(`wrk: ${end.output}`)
  const told = summary.parse(JSON.parse(line))
  if (told.refused + told.failed > 0)
    throw new Error(`${server.url}: ${told.refused} answers were no pages, ${told.failed} requests failed`)
  return {
    count: told.requests,
    perSecond: told.requests / (told.duration / 1e6),
    p50: told.p50 / 1000,
    p99: told.p99 / 1000,
  }
}
