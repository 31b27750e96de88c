import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { diffArrays } from 'diff'
import { useTestServer } from '../../testing/server.ts'
import { pathsOf } from './requests.ts'
import { shownBy, shownText } from './same.ts'
import type { Answer, Asked, Facts } from './side.ts'

const ROOT = join(import.meta.dirname, '../../..')
const GOLDEN = 'src/tools/golden'
/** Lines of one difference that are printed. */
const MOST_LINES = 12

/**
 * `npm run golden -- compare REF` exits with 1 where this forum answers something otherwise than REF's does; `npm run golden -- backup PATH`
 * writes the backup that it compares on.
 */
const [command, ref = 'HEAD'] = process.argv.slice(2)
if (command !== 'compare' && command !== 'backup')
  throw new Error('npm run golden -- compare REF|backup PATH')
const server = await useTestServer()
process.env.TEST_SERVER_URL = server.url
if (command === 'backup') {
  await ended(begun(ROOT, 'world', resolve(ref)))
  await server.stop()
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'handup-golden-'))
const tree = join(folder, 'tree')
try {
  checkOut()
  const count = await compare(join(folder, 'world.backup'))
  console.log(count === 0 ? 'no differences' : `${count} differences`)
  process.exitCode = count === 0 ? 0 : 1
} finally {
  run('git', ['worktree', 'remove', '--force', tree], ROOT)
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
}

/** REF's work tree, with the packages it asks for, and with this tool where it has none. */
function checkOut(): void {
  run('git', ['worktree', 'add', '--detach', tree, ref], ROOT)
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lock(tree) === lock(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
  else run('npm', ['ci', '--no-audit', '--no-fund'], tree)
  if (!existsSync(join(tree, GOLDEN))) cpSync(join(ROOT, GOLDEN), join(tree, GOLDEN), { recursive: true })
}

/** Restores one backup, made by REF, for both forums; asks both the same, and prints what differs. @returns how often */
async function compare(backup: string): Promise<number> {
  await ended(begun(tree, 'world', backup))
  const sides = [begun(tree, 'serve', backup), begun(ROOT, 'serve', backup)] as const
  const both = async <Said>(cookies: readonly string[] | null, asked?: Omit<Asked, 'cookie'>) => {
    const said = sides.map((side, at) => {
      if (asked !== undefined) side.send({ ...asked, cookie: cookies?.[at] ?? '' })
      else if (cookies !== null) side.send('letters')
      return once(side, 'message').then(([message]) => message as Said)
    })
    const [was, is] = await Promise.race([Promise.all(said), ...stops])
    if (was === undefined || is === undefined) throw new Error('there are two forums')
    return [was, is] as const
  }
  const stops = sides.map(async (side): Promise<never> => {
    const [code] = await once(side, 'exit')
    throw new Error(`a forum ended with ${code}`)
  })
  const [before, now] = await both<Facts>(null)
  let count = note('routes', before.routes, now.routes) + noteEach(before.compared, now.compared)
  const asked = pathsOf(before, now).flatMap((path, at) =>
    before.readers.flatMap(({ name, cookie }, who) =>
      ['en', 'ko'].map((language) => ({
        name: `${name}, ${language}: GET ${path}`,
        cookies: [cookie, now.readers[who]?.cookie ?? ''],
        request: { path, language, address: `10.${at >> 8}.${at & 255}.${who}` },
      })),
    ),
  )
  for (const { name, cookies, request } of asked) {
    const look = async () =>
      (await both<Answer[]>(cookies, request)).map((answers) => answers.flatMap(shownBy))
    // What differs is asked for once more: a minute may have ended between the two.
    const first = await look()
    const [was = [], is = []] = `${first[0]}` === `${first[1]}` ? first : await look()
    count += note(name, was, is)
  }
  const letters = await both<Record<string, string>>([])
  count += noteEach(...letters)
  for (const stop of stops) stop.catch(() => {})
  for (const side of sides) await ended(side)
  const sizes = [now.compared, letters[1]].map((record) => Object.keys(record).length)
  console.log(`compared: ${asked.length} answers, ${sizes[0]} facts, ${sizes[1]} emails and pushes`)
  return count
}

function begun(root: string, task: 'world' | 'serve', backup: string): ChildProcess {
  return fork(join(root, GOLDEN, 'side.ts'), [task, backup], { cwd: root })
}

async function ended(side: ChildProcess): Promise<void> {
  const exit = once(side, 'exit')
  if (side.spawnargs.includes('serve')) side.send('end')
  await exit
}

function noteEach(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): number {
  const lines = (text = '') => shownText(text, text.includes('<!doctype html'))
  return Object.keys({ ...before, ...now }).reduce(
    (sum, name) => sum + note(name, lines(before[name]), lines(now[name])),
    0,
  )
}

/** Prints how two lists of lines differ. @returns 1 if they do */
function note(what: string, before: readonly string[], now: readonly string[]): 0 | 1 {
  if (before.join('\n') === now.join('\n')) return 0
  const lines = diffArrays([...before], [...now]).flatMap(({ added, removed, value }) =>
    added || removed ? value.map((line) => `    ${added ? '+' : '-'} ${line.trim()}`) : [],
  )
  console.log(`✖ ${what}\n${lines.slice(0, MOST_LINES).join('\n')}`)
  return 1
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}
