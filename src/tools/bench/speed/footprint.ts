import { startInProcess } from '../../../operating/start/testing.ts'
import type { Ending } from '../../../testing/at-end.ts'
import { fetchRaw } from './pages.ts'
import { residentMegabytes, startForum, stopForum, temporaryFolder } from './processes.ts'

/** Size of a first visit in bytes on the wire, including headers. */
export interface Weight {
  readonly page: number
  readonly scripts: number
  /** Page, style sheet, scripts and images. */
  readonly all: number
}

/** The page and everything that a browser loads with it, except the icon for a phone's home screen. */
export async function weigh(url: string, path: string): Promise<Weight> {
  const page = await fetchRaw(url, path)
  const html = (await fetchRaw(url, path, { 'accept-encoding': 'identity' })).body.toString()
  const names = [...html.matchAll(/<(?!link rel="apple-touch-icon")[^>]*?(?:href|src)="(\/assets\/[^"#]+)/g)]
  const assets = await Promise.all(
    [...new Set(names.map(([, name = '']) => name))].map((name) => fetchRaw(url, name)),
  )
  const sum = (parts: readonly { bytes: number }[]) => parts.reduce((total, part) => total + part.bytes, 0)
  return {
    page: page.bytes,
    scripts: sum(assets.filter((asset) => asset.path.endsWith('.js'))),
    all: page.bytes + sum(assets),
  }
}

/** Megabytes of an idle process after its start. */
export async function idleMemory(end: Ending, databaseUrl: string): Promise<number | null> {
  const forum = await startForum(end, databaseUrl)
  await fetch(forum.url)
  const sizes = await residentMegabytes(forum.pid)
  await stopForum(forum)
  return sizes.length === 0 ? null : Math.max(...sizes)
}

/** Seconds from the command to the line that says the forum is ready. */
export interface StartTimes {
  /** With a running database. */
  readonly running: number
  /** With an existing embedded database that has to be started. */
  readonly embedded: number
}

const STARTS_COUNT = 5

/** Medians of five starts each. */
export async function measureStarts(end: Ending, databaseUrl: string): Promise<StartTimes> {
  const embedded = { DATA_DIR: await temporaryFolder(end) }
  // The first start creates the database.
  await startTime(end, embedded)
  return {
    running: await medianTime(() =>
      startTime(end, { DATABASE_URL: databaseUrl, DATA_DIR: embedded.DATA_DIR }),
    ),
    embedded: await medianTime(() => startTime(end, embedded)),
  }
}

async function startTime(end: Ending, variables: Readonly<Record<string, string>>): Promise<number> {
  const begun = performance.now()
  const forum = await startInProcess(end, variables)
  await forum.line(/^Handup is ready/)
  const seconds = (performance.now() - begun) / 1000
  await stopForum(forum)
  return seconds
}

async function medianTime(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let start = 0; start < STARTS_COUNT; start += 1) times.push(await measure())
  return times.sort((one, other) => one - other)[Math.floor(STARTS_COUNT / 2)] ?? 0
}
