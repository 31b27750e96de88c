import { type EventData, run } from 'node:test'
import { causeText, type TestEnd, type TestReport } from './test-report.ts'

/** Runs the test files of its arguments in this process, and sends a report of each test to its parent. */

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

function reportOf(
  kind: TestEnd['kind'],
  event: EventData.TestPass | EventData.TestFail,
  text: string,
): TestEnd {
  return { kind, file: event.file, line: event.line, name: event.name, ms: event.details.duration_ms, text }
}
