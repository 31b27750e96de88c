import { join } from 'node:path'
import { runBrowserTests } from './browser-tests.ts'
import { endGroups } from './child-groups.ts'
import { runCommand } from './command.ts'
import { runNodeTests } from './node-tests.ts'
import { startTestServer, type TestServer } from './server.ts'
import { checked, type Outcome, runSteps, type Step } from './step.ts'
import { ensureTemplate } from './template.ts'

/** `npm test`: all steps; `run.ts types|lint|unit|browser …`: one of them, with the arguments that follow. */
const [requested, ...args] = process.argv.slice(2)

// V8's compile cache: each process of a test loads the whole forum, a second faster with it.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/handup-tests')

const tools = join(import.meta.dirname, '../../node_modules/.bin')

/** Resources of this run to stop at the end. */
const started: TestServer[] = []
let isEnding = false

const steps: readonly Step[] = [
  { name: 'types', about: 'tsc', run: () => tool('tsc', ['--project', '.']) },
  {
    name: 'lint',
    about: 'biome, warnings too; the layers of src/',
    run: lint,
  },
  { name: 'database', about: 'a PostgreSQL for the tests, migrated', run: prepareDatabase },
  { name: 'unit', about: 'rules and routes, against a real PostgreSQL', run: () => runNodeTests(args) },
  { name: 'browser', about: 'journeys in a real Chromium', run: () => runBrowserTests(args) },
]

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    // npm forwards the terminal's signal as well: the second one must not interrupt the clean-up.
    if (isEnding) return
    isEnding = true
    await endGroups()
    await stopServers()
    process.exit(130)
  })
}
const total = await runSteps(chosenSteps())
await stopServers()
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)

function chosenSteps(): readonly Step[] {
  if (requested === undefined) return steps
  if (!steps.some((step) => step.name === requested)) {
    throw new Error(`No step "${requested}": there are ${steps.map((step) => step.name).join(', ')}`)
  }
  const needed = requested === 'unit' || requested === 'browser' ? ['database', requested] : [requested]
  return steps.filter((step) => needed.includes(step.name))
}

async function prepareDatabase(): Promise<Outcome> {
  if (!process.env.TEST_SERVER_URL) {
    const server = await startTestServer()
    started.push(server)
    process.env.TEST_SERVER_URL = server.url
    if (server.socketFolder !== null) process.env.TEST_SERVER_SOCKET = server.socketFolder
  }
  await ensureTemplate(process.env.TEST_SERVER_URL)
  return checked(true, '')
}

async function stopServers(): Promise<void> {
  for (const server of started.splice(0)) await server.stop()
}

async function lint(): Promise<Outcome> {
  const style = ['check', '--error-on-warnings', '--diagnostic-level=warn', '--reporter=concise']
  const [biome, layers] = [
    await tool('biome', style),
    await tool('depcruise', ['--config', '.dependency-cruiser.cjs', 'src']),
  ]
  return {
    passed: biome.passed + layers.passed,
    failed: biome.failed + layers.failed,
    skipped: 0,
    report: `${biome.report}${layers.report}`,
  }
}

async function tool(name: string, toolArgs: readonly string[]): Promise<Outcome> {
  const end = await runCommand(join(tools, name), toolArgs)
  return checked(end.code === 0, end.output)
}
