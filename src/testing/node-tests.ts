import { join, relative, resolve } from 'node:path'
import { spawnGroup } from './child-groups.ts'
import type { Outcome } from './step.ts'
import type { TestEnd, TestReport } from './test-report.ts'

/** For two cores: tests wait for the database half of the time. */
const CONCURRENCY = 4
/** Test files that share a process: to load the forum and to compile its code takes longer than most files' tests. */
const BATCH_SIZE = 32
/** Longest time between two reports of a process; the longest test takes less than one on a busy machine. */
const TIMEOUT_MS = 5 * 60_000
/** Objects of many apps: with V8's defaults, an eighth of the time goes into collecting them. */
const NODE_OPTIONS = ['--max-semi-space-size=128', '--initial-old-space-size=512']

/** Number of the slowest files to list at the end. */
const SLOWEST_COUNT = 8

const BATCH = join(import.meta.dirname, 'node-test-batch.ts')

/** Each alone in a process, and first, because they take longest or measure their process. */
const ALONE: readonly string[] = [
  'src/tools/faults/quick.test.ts',
  'src/web/page-cache/every-change.test.ts',
  'src/kernel/rights/routes.test.ts',
  'src/kernel/rights/canaries.test.ts',
  'src/operating/start/start.test.ts',
  'src/operating/backup/memory.test.ts',
  'src/tools/cli/course.test.ts',
  'src/forum/live/live.test.ts',
]

/** Files with failures that get a second try. More of them have one cause, which a second try would only hide. */
const MAX_RETRIES = 3

/** What is reported of a process, not of a test in it. */
const NO_FILE = 'a process of tests'

/**
 * Runs test files in several processes, and prints failures as they occur.
 * @param kind of a ring, what failed is tried once more, its file alone and at the end. A test that passes then is named as unstable: it
 * counts as passed in the inner ring, which people wait for, and as failed in the outer one
 */
export async function runNodeTests(
  files: readonly string[],
  kind: 'named' | 'inner' | 'outer',
): Promise<Outcome> {
  const isWhole = kind !== 'named'
  let unstable = 0
  const ends = new Map<string, TestEnd[]>()
  const queue = batchesOf(files.map((file) => relative('.', file)))
  const work = async () => {
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift())
      await runBatch(batch, onReport)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  if (isWhole) console.log(slowestText(ends))
  const failed = [...ends]
    .filter(([, all]) => all.some(({ kind }) => kind === 'failed'))
    .map(([file]) => file)
  const isRetried = isWhole && failed.length <= MAX_RETRIES && !failed.includes(NO_FILE)
  if (isRetried) for (const file of failed) await retry(file)
  const count = (end: TestEnd['kind']) =>
    [...ends.values()].reduce((sum, all) => sum + all.filter(({ kind }) => kind === end).length, 0)
  const failures = count('failed') + (kind === 'outer' ? unstable : 0)
  return { passed: count('passed'), failed: failures, skipped: count('skipped'), report: '' }

  function onReport(report: TestEnd): void {
    const file = report.file === undefined ? NO_FILE : relative('.', report.file)
    ends.set(file, [...(ends.get(file) ?? []), report])
    if (report.kind === 'failed')
      console.log(`  ✖ ${report.name}\n    ${file}:${report.line ?? 1}\n${indent(report.text)}\n`)
  }

  async function retry(file: string): Promise<void> {
    ends.delete(file)
    await runBatch([file], onReport)
    const hasFailedAgain = ends.get(file)?.some(({ kind }) => kind === 'failed') ?? true
    if (!hasFailedAgain) unstable += 1
    console.log(`  ${file} failed${hasFailedAgain ? ' twice' : ' once, and passed alone: unstable'}`)
  }
}

function batchesOf(files: readonly string[]): string[][] {
  const alone = ALONE.filter((file) => files.includes(file))
  const others = files.filter((file) => !alone.includes(file))
  const count = Math.max(Math.ceil(others.length / BATCH_SIZE), Math.min(CONCURRENCY, others.length))
  // Neighbours go to different processes: files of a folder take similarly long.
  const batches = Array.from({ length: count }, (_, batch) => others.filter((_, at) => at % count === batch))
  return [...alone.map((file) => [file]), ...batches]
}

/** Runs files in one process. That the process fails or never ends is reported as a failed test. */
function runBatch(files: readonly string[], onReport: (report: TestEnd) => void): Promise<void> {
  return new Promise((done) => {
    let isFinished = false
    const child = spawnGroup(
      process.execPath,
      [...NODE_OPTIONS, BATCH, ...files.map((file) => resolve(file))],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    )
    let why = ''
    const timeout = setTimeout(() => {
      why = `: no test in it had ended for ${TIMEOUT_MS / 60_000} minutes, so that it was stopped`
      child.kill('SIGTERM')
    }, TIMEOUT_MS)
    child.on('message', (report: TestReport) => {
      timeout.refresh()
      if (report.kind === 'finished') isFinished = true
      else onReport(report)
    })
    child.once('close', (code, signal) => {
      clearTimeout(timeout)
      const text = `The process of these files ended too early, with ${signal ?? code}${why}:\n${files.join('\n')}`
      if (!isFinished)
        onReport({ kind: 'failed', file: undefined, line: 1, name: 'ended too early', ms: 0, text })
      done()
    })
  })
}

function slowestText(ends: ReadonlyMap<string, readonly TestEnd[]>): string {
  return [...ends]
    .map(([file, all]) => ({ file, seconds: all.reduce((sum, { ms }) => sum + ms, 0) / 1000 }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST_COUNT)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`)
    .join('\n')
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ')
}
