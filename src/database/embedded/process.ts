import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A user of the operating system to run a child process as. */
export interface SystemUser {
  name: string
  uid: number
  gid: number
}

/** How a child process ended; `code` is null when a signal ended it. */
export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** Environment without the caller's PG*, locale and proxy variables, which would change PostgreSQL's behaviour. */
export const childEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** uid and gid for spawn(); libuv drops the supplementary groups with them. */
export function identityOf(user: SystemUser | null): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {}
}

/**
 * Runs a command to completion in a process group of its own, so that the terminal's Ctrl-C reaches only us. An aborted
 * signal ends the whole group (SIGTERM, after 3 s SIGKILL) and then rejects with its reason.
 * @throws the spawn error (ENOENT, EACCES …) when the command cannot be started
 */
export function run(
  command: string,
  args: string[],
  user: SystemUser | null,
  signal?: AbortSignal,
): Promise<Outcome> {
  signal?.throwIfAborted()
  return new Promise((resolve, reject) => {
    const options = { cwd: '/', env: childEnvironment, detached: true, ...identityOf(user) }
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const outcome: Outcome = { code: null, stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text))
    const release = endGroupOnAbort(child.pid, signal)
    child.on('error', (error) => {
      release()
      reject(error)
    })
    child.on('close', (code) => {
      release()
      if (signal?.aborted) reject(signal.reason)
      else resolve({ ...outcome, code })
    })
  })
}

/**
 * The start time of a process, which distinguishes it from a later one with the same number.
 * @returns null when there is no such process, or only a zombie
 */
export function processStamp(pid: number): string | null {
  if (process.platform !== 'linux') return processStampByPs(pid)
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): after the name in brackets come the state (field 3) and, as field 22, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`
  } catch {
    return null
  }
}

/** The file name of a process's program; "" when there is no such process. */
export function processName(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
    return basename(ps(pid, 'comm='))
  } catch {
    return ''
  }
}

function endGroupOnAbort(pid: number | undefined, signal: AbortSignal | undefined): () => void {
  if (!signal || pid === undefined) return () => {}
  let hard: NodeJS.Timeout | undefined
  const end = () => {
    signalGroup(pid, 'SIGTERM')
    hard = setTimeout(() => signalGroup(pid, 'SIGKILL'), 3000)
  }
  signal.addEventListener('abort', end, { once: true })
  return () => {
    clearTimeout(hard)
    signal.removeEventListener('abort', end)
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // Already gone.
  }
}

function processStampByPs(pid: number): string | null {
  try {
    const line = ps(pid, 'state=,lstart=')
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '')
  } catch {
    return null
  }
}

function ps(pid: number, columns: string): string {
  return execFileSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' }).trim()
}
