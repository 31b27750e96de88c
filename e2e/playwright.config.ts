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

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 2,
  // A test that passes only then is named as unstable.
  retries: 1,
  forbidOnly: process.env.CI !== undefined,
  // Only what never happens takes as long: a busy machine may be many times slower than a quiet one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A trace halves the speed: ask for one by `npm run test:browser -- --trace on`.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
      args: isRoot ? [...QUIET, '--no-sandbox'] : QUIET,
    },
  },
})
