import { availableParallelism } from 'node:os'
import { defineConfig, devices } from 'playwright/test'

const isRoot = process.getuid?.() === 0

/** What a browser does by itself, without being asked, has no place in a test. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
]

const LEAN = [
  // Pages live a second here: to optimize their scripts takes longer than to run them, a fifth of axe's time.
  '--js-flags=--no-opt',
  // Otherwise a window has three: one to open it, one for the forum, and one in reserve.
  '--renderer-process-limit=1',
]

const args = [...QUIET, ...LEAN, ...(isRoot ? ['--no-sandbox'] : [])]

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  // One more than cores: somebody who types waits, too.
  workers: availableParallelism() + 1,
  // A test that passes only then is named as unstable.
  retries: 1,
  forbidOnly: process.env.CI !== undefined,
  // Only what never happens takes as long: a busy machine may be many times slower than a quiet one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    // What is not there to press by then never comes.
    actionTimeout: 60_000,
    ...devices['Desktop Chrome'],
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Without a graphics card, to draw what moves from page to page takes long; MOVING in forum.ts is for tests that look at it.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace halves the speed: ask for one by `npm run test:browser -- --trace on`.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args,
    },
  },
})
