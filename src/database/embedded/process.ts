import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { EmbeddedError } from './error.ts'

/** The user of the operating system that runs PostgreSQL; null: Handup's own. */
export type ServerUser = { name: string; uid: number; gid: number } | null

/**
 * How PostgreSQL's programs run: in a session of their own, so that the terminal's Ctrl-C reaches only us, and without
 * our PG*, locale and proxy variables, which would change what they do. With uid and gid libuv drops all other groups.
 */
export function spawnOptions(user: ServerUser, more: Record<string, string> = {}) {
  const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const env = { PATH, LC_ALL: 'C', TZ: 'UTC', ...more }
  return { cwd: '/', env, detached: true, ...(user && { uid: user.uid, gid: user.gid }) }
}

/**
 * Runs a command until it, and whatever it started, has ended. An aborted signal kills it: what it started (initdb's
 * servers) reads from it, and ends in order.
 * @returns `output`: both streams; `code` is null when a signal ended it
 * @throws the spawn error (ENOENT, EACCES …) when it cannot be started, an AbortError when it was killed
 */
export function run(command: string, args: string[], user: ServerUser, signal?: AbortSignal) {
  return new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const options = { ...spawnOptions(user), ...(signal && { signal, killSignal: 'SIGKILL' as const }) }
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    let failure: Error | null = null
    child.on('error', (error) => (failure = error))
    child.on('close', (code) => (failure ? reject(failure) : resolve({ code, output })))
  })
}

/** proc(5): the program in brackets, the state (field 3), and as field 22 the start time. */
const PROC_STAT = /\((?<name>.*)\) (?<state>\S)(?: \S+){18} (?<begun>\d+)/s
const PS_LINE = /^(?<state>\S)\S*\s+(?<name>\S+)\s+(?<begun>.+)/

/** A process, by a start time that no later one with its number has; null: there is none, or only a zombie. */
export function findProcess(pid: number): { name: string; stamp: string } | null {
  try {
    const isLinux = process.platform === 'linux'
    const text = isLinux
      ? readFileSync(`/proc/${pid}/stat`, 'utf8')
      : execFileSync('ps', ['-o', 'state=,ucomm=,lstart=', '-p', `${pid}`], { encoding: 'utf8' })
    const { name = '', state = 'X', begun } = (isLinux ? PROC_STAT : PS_LINE).exec(text)?.groups ?? {}
    const boot = isLinux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : ''
    return state === 'Z' || state === 'X' ? null : { name, stamp: `${boot}/${begun}` }
  } catch {
    return null
  }
}

export const processStamp = (pid: number) => findProcess(pid)?.stamp ?? null

/** On Linux distributions, most common first. */
const WAYS_TO_CREATE = [
  'useradd --system --user-group --no-create-home --shell /usr/sbin/nologin postgres',
  'useradd --system --gid postgres --no-create-home --shell /usr/sbin/nologin postgres',
  'adduser -S -D -H -s /sbin/nologin postgres',
]

/**
 * The user to run the server as. PostgreSQL refuses to run as root, so root runs it as another user: the owner of the
 * existing cluster, else the system user `postgres`, created if the machine has none.
 * @param cluster folder of the existing cluster, or null before the first start
 */
export async function chooseServerUser(cluster: string | null, notes: string[]): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return null
  const owner = cluster ? await stat(cluster) : null
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  let reason = 'no useradd or adduser here'
  for (const way of [null, ...WAYS_TO_CREATE]) {
    const [command = '', ...args] = way?.split(' ') ?? []
    const made = way && (await run(command, args, null).catch(() => null))
    if (made && made.code !== 0) reason = made.output.trim().split('\n')[0] ?? reason
    // Looked up even after a failure: a concurrent start may have created it. `id` knows every source of users.
    const { output } = await run('id', ['postgres'], null)
    const [, uid, gid] = /uid=(\d+)\S* gid=(\d+)/.exec(output) ?? []
    if (uid === undefined) continue
    if (way)
      notes.push('The system user "postgres" was created to run PostgreSQL, which refuses to run as root')
    return { name: 'user "postgres"', uid: Number(uid), gid: Number(gid) }
  }
  throw new EmbeddedError(
    `PostgreSQL does not run as root and the system user "postgres" could not be made (${reason}): ` +
      'make it, or start Handup as an ordinary user',
  )
}
