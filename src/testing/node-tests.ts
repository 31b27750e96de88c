import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { run } from 'node:test'
import { inspect } from 'node:util'
import type { Outcome } from './step.ts'

const ALL = ['src/**/*.test.ts']
/** Two cores, and tests that wait for the database half of the time. */
const CONCURRENCY = 3
/** Milliseconds for a test; none needs a tenth of it. */
const TIMEOUT = 120_000

/** Runs test files, each in a process of its own, and shows failures as they come. */
export async function runNodeTests(files: readonly string[]): Promise<Outcome> {
  const which = files.length === 0 ? { globPatterns: ALL } : { files: [...files] }
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const stream = run({ ...which, concurrency: CONCURRENCY, timeout: TIMEOUT })
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
  stream.on('test:stderr', (event) => process.stderr.write(event.message))
  for await (const _ of stream.resume());
  return { ...counts, report: '' }
}

/** A parent fails with its parts, which have been shown and counted themselves. */
function isOnlyItsParts(event: EventData.TestFail): boolean {
  return 'failureType' in event.details.error && event.details.error.failureType === 'subtestsFailed'
}

function failureText(event: EventData.TestFail): string {
  const { cause } = event.details.error
  const where = event.file === undefined ? '' : `${relative(process.cwd(), event.file)}:${event.line ?? 1}`
  return `  ✖ ${event.name}\n    ${where}\n${indent(causeText(cause))}\n`
}

/** A file that ended before its tests could has told why on its own. An assertion says it all in its message; another error needs its stack and whatever it carries. */
function causeText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name !== 'AssertionError') return inspect(cause)
  const place = /\(?(file:\/\/\/\S+\.test\.ts:\d+)/.exec(cause.stack ?? '')?.[1] ?? ''
  return `${cause.message}\n${place}`
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ')
}
