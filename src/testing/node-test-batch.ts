import async from 'node:async_hooks'
import type { EventData } from 'node:test'
import { causeText, type TestEnd, type TestReport } from './test-report.ts'

/** Runs the test files of its arguments in this process, and sends a report of each test to its parent. */

/**
 * The test runner watches every promise to learn which test threw an error that nobody caught: a tenth of the processor time
 * of all tests. Suites need that while they are declared; afterwards one test runs at a time.
 */
const watches: async.AsyncHook[] = []
const { createHook } = async
async.createHook = (callbacks) => {
  const watch = createHook(callbacks)
  watches.push(watch)
  return watch
}
const { run } = await import('node:test')
async.createHook = createHook

const send = (report: TestReport) => void process.send?.(report)
// With its own children, which are of its group.
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
// The tests end when nothing is left to wait for, so the channel must not keep the process alive.
process.channel?.unref()
process.once('SIGTERM', () => {
  console.error(`still open: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
})

const stream = run({ files: process.argv.slice(2), isolation: 'none' })
let current: EventData.TestDequeue | undefined
stream.on('test:dequeue', (event) => {
  current = event
  for (const watch of watches.splice(0)) watch.disable()
})
for (const kind of ['uncaughtException', 'unhandledRejection'] as const) process.on(kind, endWith)
stream.on('test:pass', (event) => {
  if (event.details.type !== 'suite')
    send(reportOf(event.skip === undefined ? 'passed' : 'skipped', event, ''))
})
stream.on('test:fail', (event) => {
  const { error } = event.details
  // A suite fails with its tests, which are reported themselves.
  if ('failureType' in error && error.failureType === 'subtestsFailed') return
  send(reportOf('failed', event, causeText(error.cause ?? error)))
})
for await (const _ of stream.resume());
send({ kind: 'finished' })

/** Reports an error that nobody caught as a failure of the current test, which may never end now. */
function endWith(error: unknown): void {
  const report: TestReport = {
    ...{
      kind: 'failed',
      file: current?.file,
      line: current?.line,
      name: current?.name ?? 'before all tests',
    },
    ...{ ms: 0, text: causeText(error) },
  }
  if (process.send === undefined) process.exit(1)
  process.send(report, () => process.exit(1))
}

function reportOf(
  kind: TestEnd['kind'],
  event: EventData.TestPass | EventData.TestFail,
  text: string,
): TestEnd {
  return { kind, file: event.file, line: event.line, name: event.name, ms: event.details.duration_ms, text }
}
