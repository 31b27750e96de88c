import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { findChromium, installChromium } from './chromium.ts'
import { runCommand } from './command.ts'
import { checked, type Outcome } from './step.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The fields we use of playwright's JSON report. */
const report = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number(), skipped: z.number() }),
  errors: z.array(z.unknown()),
})

/**
 * Runs the journeys of e2e/ in a real Chromium, found or installed.
 * @param args for `playwright test`: files, -g …
 */
export async function runBrowserTests(args: readonly string[]): Promise<Outcome> {
  const tell = (line: string) => console.log(`  ${line}`)
  const path = (await findChromium()) ?? (await installChromium(tell))
  if (path === null) {
    return checked(false, '  No Chromium could be found or installed: set CHROMIUM_PATH to one')
  }
  tell(`with ${path}`)
  const folder = await mkdtemp(join(tmpdir(), 'handup-journeys-'))
  try {
    const file = join(folder, 'report.json')
    const cli = join(ROOT, 'node_modules/playwright/cli.js')
    const all = [
      'test',
      '--config',
      join(ROOT, 'e2e/playwright.config.ts'),
      '--reporter',
      'dot,json',
      ...args,
    ]
    // Node runs our TypeScript itself. Playwright's own translation fails for a module that is both imported and required.
    const environment = { CHROMIUM_PATH: path, PLAYWRIGHT_JSON_OUTPUT_FILE: file, PW_DISABLE_TS_ESM: '1' }
    const end = await runCommand(process.execPath, [cli, ...all], { environment, isShown: true })
    return await countsOf(file, end.code)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function countsOf(file: string, code: number | null): Promise<Outcome> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return checked(false, `  playwright ended with ${code} and no report`)
  const { stats, errors } = report.parse(JSON.parse(text))
  if (stats.flaky > 0) console.log(`  ${stats.flaky} failed once, and passed then: unstable`)
  const failed = stats.unexpected + errors.length
  // An error outside any test is a failure too.
  return {
    passed: stats.expected + stats.flaky,
    failed: code === 0 ? failed : Math.max(failed, 1),
    skipped: stats.skipped,
    report: '',
  }
}
