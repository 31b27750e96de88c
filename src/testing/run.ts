import { join } from 'node:path'
import { runBrowserTests } from './browser-tests.ts'
import { runCommand } from './command.ts'
import { runNodeTests } from './node-tests.ts'
import { startTestServer, type TestServer } from './server.ts'
import { checked, type Outcome, runSteps, type Step } from './step.ts'
import { ensureTemplate } from './template.ts'

/** `npm test`: all steps; `run.ts types|lint|unit|browser …`: one of them, with the arguments that follow. */
const [wished, ...args] = process.argv.slice(2)

const tools = join(import.meta.dirname, '../../node_modules/.bin')

/** What this run started and has to stop. */
const started: TestServer[] = []

const steps: readonly Step[] = [
  { name: 'types', about: 'tsc', run: () => tool('tsc', ['--project', '.']) },
  {
    name: 'lint',
    about: 'biome, warnings too',
    run: () =>
      tool('biome', ['check', '--error-on-warnings', '--diagnostic-level=warn', '--reporter=concise']),
  },
  { name: 'database', about: 'a PostgreSQL for the tests, migrated', run: prepareDatabase },
  { name: 'unit', about: 'rules and routes, against a real PostgreSQL', run: () => runNodeTests(args) },
  { name: 'browser', about: 'journeys in a real Chromium', run: () => runBrowserTests(args) },
]

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await stopServers()
    process.exit(130)
  })
}
const total = await runSteps(chosenSteps())
await stopServers()
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)

function chosenSteps(): readonly Step[] {
  if (wished === undefined) return steps
  if (!steps.some((step) => step.name === wished)) {
    throw new Error(`No step "${wished}": there are ${steps.map((step) => step.name).join(', ')}`)
  }
  const needed = wished === 'unit' || wished === 'browser' ? ['database', wished] : [wished]
  return steps.filter((step) => needed.includes(step.name))
}

async function prepareDatabase(): Promise<Outcome> {
  if (!process.env.TEST_SERVER_URL) {
    const server = await startTestServer()
    started.push(server)
    process.env.TEST_SERVER_URL = server.url
  }
  await ensureTemplate(process.env.TEST_SERVER_URL)
  return checked(true, '')
}

async function stopServers(): Promise<void> {
  for (const server of started.splice(0)) await server.stop()
}

async function tool(name: string, toolArgs: readonly string[]): Promise<Outcome> {
  const end = await runCommand(join(tools, name), toolArgs)
  return checked(end.code === 0, end.output)
}
