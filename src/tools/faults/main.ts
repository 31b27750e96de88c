import { Command } from 'commander'
import { connect } from '../../database/connection.ts'
import type { Ending } from '../../testing/at-end.ts'
import { machineSection } from '../bench/machine.ts'
import { FAULTS } from './all.ts'
import { startDatabases } from './databases.ts'
import type { Databases } from './fault.ts'
import { keepOutcome } from './outcomes.ts'
import { linesOf, writeReport } from './report.ts'
import { type Outcome, runFault } from './run-fault.ts'

const program = new Command('faults')
  .description('Does to real processes everything Handup has to survive, and writes docs/faults.md.')
  .option('--only <names>', 'some of them, comma-separated', (text) => text.split(','), [])
  .option('--list', 'only list their names')
  .showHelpAfterError('(--help shows more)')
  .parse()

// Cleanups must run.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

const { only, list } = program.opts<{ only: string[]; list?: boolean }>()
const unknown = only.filter((name) => !FAULTS.some((fault) => fault.name === name))
if (unknown.length > 0) program.error(`no fault ${unknown.join(', ')}: --list tells all of them`)
if (list === true) for (const { name, fault } of FAULTS) console.log(`${name}: ${fault}`)
// Leftovers of a fault must not keep the process alive.
else process.exit((await runAll()) ? 0 : 1)

/** @returns whether all faults that ran held */
async function runAll(): Promise<boolean> {
  const works: (() => Promise<void>)[] = []
  const end: Ending = { after: (work) => works.push(work) }
  try {
    const databases = await startDatabases(end)
    const outcomes = await runEach(databases)
    await writeReport(await machineOf(databases, end))
    return outcomes.every(({ state }) => state !== 'not held')
  } finally {
    for (const work of works) await work()
  }
}

async function runEach(databases: Databases): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const say = (line: string) => console.log(`    ${line}`)
  const way = { databases, isTimed: true, say, stopping: stopping.signal }
  const chosen = FAULTS.filter(({ name }) => only.length === 0 || only.includes(name))
  for (const [index, fault] of chosen.entries()) {
    if (stopping.signal.aborted) break
    console.log(`▸ ${index + 1}/${chosen.length} ${fault.name}: ${fault.fault}`)
    const outcome = await runFault(fault, way)
    for (const line of linesOf(outcome)) console.log(`  ${line}`)
    outcomes.push(outcome)
    if (!stopping.signal.aborted) await keepOutcome(outcome)
  }
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  console.log(
    `${count('held')} held, ${count('not held')} did not, ${count('not run')} could not be run here`,
  )
  return outcomes
}

async function machineOf(databases: Databases, end: Ending): Promise<string> {
  const { url } = await databases.migrated(end)
  const db = connect(url)
  return machineSection(db).finally(() => db.destroy())
}
