import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a program may take to end by itself, with the browsers and servers that it started. */
const GRACE_MS = 10_000

const running = new Set<ChildProcess>()

/** Starts a program in a process group of its own, so that endGroups() also ends what it started. */
export function spawnGroup(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(program, args, { ...options, detached: true })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** Ends all programs that spawnGroup() started, as Ctrl-C does; kills what is left of their groups. */
export async function endGroups(): Promise<void> {
  await Promise.all([...running].map(endGroup))
}

async function endGroup(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  await Promise.race([exited, sleep(GRACE_MS, undefined, { ref: false })])
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: nothing is left of the group.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
