import { join } from 'node:path'
import { writeViewModules } from '../tools/view-types/compile.ts'
import { runBrowserTests } from './browser-tests.ts'
import { endGroups } from './child-groups.ts'
import { runCommand } from './command.ts'
import { runNodeTests } from './node-tests.ts'
import { rings } from './rings.ts'
import { startTestServer, type TestServer } from './server.ts'
import { checked, type Outcome, runSteps, type Step, together } from './step.ts'
import { ensureTemplate } from './template.ts'

/**
 * `npm test`: the inner ring. `run.ts everything`: the outer one. `run.ts types|lint|unit|browser …`: one step, with the
 * arguments that follow; without arguments, units and journeys of both rings.
 */
const [requested, ...args] = process.argv.slice(2)

// V8's compile cache: each process of a test loads the whole forum, a second faster with it.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/handup-tests')

const tools = join(import.meta.dirname, '../../node_modules/.bin')

/** Resources of this run to stop at the end. */
const started: TestServer[] = []
let isEnding = false

const types: Step = { name: 'types', about: 'tsc, templates too', run: checkTypes }
const lintStep: Step = { name: 'lint', about: 'biome, warnings too; the layers of src/', run: lint }
const database: Step = {
  name: 'database',
  about: 'a PostgreSQL for the tests, migrated',
  run: prepareDatabase,
}

function unit(about: string, files: readonly string[], kind: 'named' | 'inner' | 'outer'): Step {
  return { name: 'unit', about, run: () => runNodeTests(files, kind) }
}

function browser(about: string, browserArgs: readonly string[]): Step {
  return { name: 'browser', about, run: () => runBrowserTests(browserArgs) }
}

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
  const { inner, outer } = rings()
  const both = [...inner.units, ...outer.units]
  switch (requested) {
    case undefined:
      // tsc and the linters use a core while tests wait for the database.
      return [
        database,
        together([
          types,
          lintStep,
          unit('rules and routes, against a real PostgreSQL', inner.units, 'inner'),
        ]),
        browser('the main journeys in a real Chromium', inner.journeys),
      ]
    case 'everything':
      return [
        database,
        unit('processes, faults, backups and what takes long', outer.units, 'outer'),
        browser('all other journeys, and every page', outer.journeys),
      ]
    case 'types':
      return [types]
    case 'lint':
      return [lintStep]
    case 'unit':
      return [
        database,
        args.length === 0 ? unit('both rings', both, 'outer') : unit('as named', args, 'named'),
      ]
    case 'browser':
      return [database, browser('as named', args)]
    default:
      throw new Error(`No step "${requested}": there are everything, types, lint, unit, browser`)
  }
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

function checkTypes(): Promise<Outcome> {
  writeViewModules(join(import.meta.dirname, '../..'))
  return tool('tsc', ['--project', '.'])
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
