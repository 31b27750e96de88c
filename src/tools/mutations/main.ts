import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { rings } from '../../testing/rings.ts'
import { drawnMutations } from './drawing.ts'
import { type Mutation, mutated, RULES } from './rules.ts'
import { type Row, readTable, writtenTable } from './table.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TABLE = join(ROOT, 'docs/mutations.md')
const DRAWN = join(import.meta.dirname, 'drawn.json')
/** Tests of what must hold everywhere, those that take minutes last. */
const GUARDS = [
  [
    'src/kernel/rights/rights.test.ts',
    'src/doors/api/{differences,document}.test.ts',
    'src/forum/mailing/exactly-once.test.ts',
    'src/database/recount.test.ts',
  ],
  ['src/kernel/rights/{canaries,differences}.test.ts', 'src/doors/api/canaries.test.ts'],
  [
    'src/kernel/rights/routes.test.ts',
    'src/web/page-cache/every-change.test.ts',
    'src/tools/fuzz/fuzz.test.ts',
  ],
]
/** Looks whether each rule is where it says: a broken one isn't. */
const ITSELF = 'src/tools/mutations/table.test.ts'
const MOST_NAMED = 3

/** `npm run mutations`: breaks each rule in a work tree of HEAD, and writes which tests notice it. Ctrl-C keeps what is written. */
const { draw, only, again } = new Command('mutations')
  .description(
    'Breaks rules of the code, one at a time, and writes to docs/mutations.md which tests catch it.',
  )
  .option('--draw <seed>', 'draws forty other rules, and ends', Number)
  .option('--only <words>', 'those whose rule contains these words')
  .option('--again', 'also those that the table has; their tests come first')
  .parse()
  .opts<{ draw?: number; only?: string; again?: true }>()

if (draw !== undefined) {
  writeFileSync(DRAWN, `${JSON.stringify(drawnMutations(ROOT, draw), null, 2)}\n`)
  console.log(`drawn: ${DRAWN}. Commit it, then break what it names`)
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'handup-mutations-'))
const tree = join(folder, 'tree')
run('git', ['worktree', 'add', '--detach', tree, 'HEAD'], ROOT)
symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
try {
  const known = existsSync(TABLE) ? readTable(readFileSync(TABLE, 'utf8')) : new Map<string, Row>()
  const rows = new Map([...known].filter(([rule]) => RULES.some((mutation) => mutation.rule === rule)))
  for (const [at, mutation] of RULES.entries()) {
    const { rule, file, changesNothing } = mutation
    const row = known.get(rule)
    if (only !== undefined && !rule.includes(only)) continue
    if (changesNothing !== undefined) rows.set(rule, { rule, file, caught: [], changesNothing })
    else if (row === undefined || again === true) {
      const caught = caughtBy(mutation, row?.caught ?? [])
      rows.set(rule, { rule, file, caught })
      console.log(`${at + 1} of ${RULES.length} ${caught[0] ?? '✖ not caught'}: ${rule}`)
    }
    writeFileSync(TABLE, writtenTable([...rows.values()]))
  }
} finally {
  run('git', ['worktree', 'remove', '--force', tree], ROOT)
  rmSync(folder, { recursive: true, force: true })
}

/**
 * The test files that fail, and don't without the mutation: of those that did before, else of the rule's folders, else of the guards, else
 * of all.
 */
function caughtBy(mutation: Mutation, before: readonly string[]): string[] {
  const tried = new Set([ITSELF])
  const guards = globSync(GUARDS.flat(), { cwd: tree })
  // Guards that lie in the room take longer than its own tests.
  const room = globSync(roomOf(mutation.file), { cwd: tree }).filter((file) => !guards.includes(file))
  for (const patterns of [before, room, ...GUARDS, rings().inner.units, rings().outer.units]) {
    const files = globSync([...patterns], { cwd: tree }).filter((file) => !tried.has(file))
    for (const file of files) tried.add(file)
    if (files.length === 0) continue
    const failed = whileBroken(mutation, () => failedOf(files)).slice(0, MOST_NAMED)
    // A busy machine, or what npm says of a work tree, is no proof.
    const anyway = failed.length === 0 ? [] : failedOf(failed)
    const caught = failed.filter((file) => !anyway.includes(file))
    if (caught.length > 0) return caught
  }
  return []
}

function whileBroken<Result>(mutation: Mutation, work: () => Result): Result {
  const path = join(tree, mutation.file)
  const text = mutation.from === '' ? '' : readFileSync(path, 'utf8')
  writeFileSync(path, mutated(text, mutation))
  try {
    return work()
  } finally {
    run('git', ['checkout', '--', '.'], tree)
    run('git', ['clean', '--force', '--quiet', 'db'], tree)
  }
}

/** Tests beside a file, and below; of a template, those of the folder of its name. */
function roomOf(file: string): string[] {
  if (file.startsWith('views/')) return [`src/*/${file.split('/')[1]}/**/*.test.ts`]
  return file.startsWith('db/')
    ? ['src/web/page-cache/every-change.test.ts']
    : [`${dirname(file)}/**/*.test.ts`]
}

function failedOf(files: readonly string[]): string[] {
  const { stdout } = spawnSync(process.execPath, ['src/testing/run.ts', 'unit', ...files], {
    ...{ cwd: tree, encoding: 'utf8', maxBuffer: 2 ** 28 },
  })
  return [...new Set([...stdout.matchAll(/✖ .*\n {4}(\S+?):\d+$/gm)].map(([, file = '']) => file))]
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}
