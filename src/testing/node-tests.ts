import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { run } from 'node:test'
import { inspect } from 'node:util'
import type { Outcome } from './step.ts'

const ALL = ['src/**/*.test.ts']
/** For two cores: tests wait for the database half of the time. */
const CONCURRENCY = 3
/** Timeout per file; its tests take some seconds on an idle machine, so only a hang reaches it. */
const TIMEOUT_MS = 20 * 60_000

/** Number of the slowest files to list at the end. */
const SLOWEST_COUNT = 8

/** Runs test files, each in a separate process, and prints failures as they occur. */
export async function runNodeTests(files: readonly string[]): Promise<Outcome> {
  const which = files.length === 0 ? { globPatterns: ALL } : { files: [...files] }
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const seconds = new Map<string, number>()
  const stream = run({ ...which, concurrency: CONCURRENCY, timeout: TIMEOUT_MS })
  stream.on('test:pass', (event) => {
    if (event.details.type === 'suite') return
    if (event.skip === undefined) counts.passed += 1
    else counts.skipped += 1
  })
  stream.on('test:fail', (event) => {
    if (isOnlyItsParts(event)) return
    counts.failed += 1
    console.log(failureText(event))
  })
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) seconds.set(relative(process.cwd(), file), duration_ms / 1000)
  })
  stream.on('test:stderr', (event) => process.stderr.write(event.message))
  for await (const _ of stream.resume());
  if (files.length === 0) console.log(slowestText(seconds))
  return { ...counts, report: '' }
}

function slowestText(seconds: ReadonlyMap<string, number>): string {
  const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, SLOWEST_COUNT)
  return slowest.map(([file, took]) => `  ${took.toFixed(1).padStart(6)} s  ${file}`).join('\n')
}

/** A suite fails with its tests, which were printed and counted themselves. */
function isOnlyItsParts(event: EventData.TestFail): boolean {
  return 'failureType' in event.details.error && event.details.error.failureType === 'subtestsFailed'
}

function failureText(event: EventData.TestFail): string {
  const { cause } = event.details.error
  const where = event.file === undefined ? '' : `${relative(process.cwd(), event.file)}:${event.line ?? 1}`
  return `  ✖ ${event.name}\n    ${where}\n${indent(causeText(cause))}\n`
}

/**
 * A file that exited early has explained itself. An assertion's message is complete; other errors need their stack and
 * cause.
 */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name !== 'AssertionError') return inspect(cause)
  const place = /\(?(file:\/\/\/\S+\.test\.ts:\d+)/.exec(cause.stack ?? '')?.[1] ?? ''
  return `${cause.message}\n${place}`
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ')
}
