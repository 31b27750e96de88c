import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StartedForum, startInProcess } from '../../../operating/start/testing.ts'
import { atEnd, type Ending } from '../../../testing/at-end.ts'

/** A server under load: its URL, and the process whose time and memory are measured, with its children. */
export interface Server {
  readonly url: string
  readonly pid: number
}

/** Shared by all processes: sessions and tokens are valid in each. */
const SECRET = 'known to all processes of the benchmark, and worth nothing'

/** The shared compile cache. */
const COMPILED = join(import.meta.dirname, '../../../../.data/bench/compiled')

/** Starts the forum like an operator, in production mode, on an existing database. */
export async function startForum(
  end: Ending,
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<StartedForum> {
  const forum = await startInProcess(end, {
    DATABASE_URL: databaseUrl,
    DATA_DIR: await temporaryFolder(end),
    NODE_ENV: 'production',
    SECRET,
    NODE_COMPILE_CACHE: COMPILED,
    ...variables,
  })
  await forum.ready()
  return forum
}

/** Stops it like an operator. */
export async function stopForum(forum: StartedForum): Promise<void> {
  forum.kill('SIGTERM')
  await forum.ended
}

/** A temporary folder, removed after the benchmark. */
export async function temporaryFolder(end: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-speed-'))
  atEnd(end, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Processor time of a process and its children in seconds; null without /proc (only Linux has it). */
export async function processorTime(pid: number): Promise<number | null> {
  const times = await Promise.all((await familyOf(pid)).map(ticksOf))
  const known = times.filter((ticks) => ticks !== null)
  return known.length === 0 ? null : known.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND
}

/**
 * The same in milliseconds and without ticks, which are too long for a single request; of threads that still run. A running
 * thread's time is up to date when it sleeps.
 */
export async function exactProcessorTime(pid: number): Promise<number | null> {
  const times = await Promise.all((await familyOf(pid)).map(nanosecondsOf))
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : known.reduce((sum, time) => sum + time, 0) / 1e6
}

/** Resident megabytes of a process and each of its children; empty without /proc. */
export async function residentMegabytes(pid: number): Promise<number[]> {
  const sizes = await Promise.all(
    (await familyOf(pid)).map(async (member) => {
      const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(await procFile(member, 'status'))?.[1]
      return kilobytes === undefined ? null : Number(kilobytes) / 1024
    }),
  )
  return sizes.filter((size) => size !== null)
}

/** A process and its descendants. */
export async function familyOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map(await Promise.all(pids.map(async (one) => [one, await parentOf(one)] as const)))
  const isOurs = (one: number | null | undefined): boolean =>
    one !== null && one !== undefined && (one === pid || isOurs(parents.get(one)))
  return pids.filter(isOurs)
}

/** USER_HZ, which is 100 on every Linux that Node supports (proc(5)). */
const TICKS_PER_SECOND = 100

/** Fields of /proc/PID/stat after the command's name, which may contain spaces: state, parent, … (proc(5)). */
async function fieldsOf(pid: number): Promise<string[]> {
  return (await procFile(pid, 'stat')).replace(/^.*\) /s, '').split(' ')
}

/** null: the process has exited, or there is no /proc. */
export async function parentOf(pid: number): Promise<number | null> {
  const parent = (await fieldsOf(pid))[1]
  return parent === undefined ? null : Number(parent)
}

/** User and system time. */
async function ticksOf(pid: number): Promise<number | null> {
  const [user, system] = (await fieldsOf(pid)).slice(11, 13)
  return user === undefined || system === undefined ? null : Number(user) + Number(system)
}

/** The first number of each thread's schedstat (Linux's sched-stats.rst); null: it has exited, or there is no such file. */
async function nanosecondsOf(pid: number): Promise<number | null> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const stats = await Promise.all(threads.map((thread) => procFile(pid, `task/${thread}/schedstat`)))
  const known = stats.filter(Boolean).map((text) => Number(text.split(' ')[0]))
  return known.length === 0 ? null : known.reduce((sum, time) => sum + time, 0)
}

/** '' when the process has exited. */
function procFile(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
}
