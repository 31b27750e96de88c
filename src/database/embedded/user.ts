import { stat } from 'node:fs/promises'
import { EmbeddedError } from './error.ts'
import { run, type SystemUser } from './process.ts'

const systemName = 'postgres'

/** Commands that create a system user on Linux distributions, most common first. */
const waysToCreate: [string, ...string[]][] = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', systemName],
  [
    'useradd',
    '--system',
    '--gid',
    systemName,
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    systemName,
  ],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', systemName],
  ['adduser', '--system', '--group', '--no-create-home', systemName],
]

/**
 * The user to run the server as. PostgreSQL refuses to run as root, so root runs it as another user: the owner of the
 * existing cluster, else the system user `postgres`, created if the machine has none.
 * @param cluster folder of the existing cluster, or null before the first start
 * @param notes gets a line when a user was created
 * @returns null when the server runs as Handup's own user
 */
export async function chooseServerUser(cluster: string | null, notes: string[]): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null
  const owner = cluster ? await stat(cluster) : null
  if (owner && owner.uid !== 0) return { name: `user ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  return (await findUser(systemName)) ?? (await createUser(notes))
}

async function createUser(notes: string[]): Promise<SystemUser> {
  let reason = 'no useradd or adduser here'
  for (const [command, ...args] of waysToCreate) {
    const outcome = await run(command, args, null).catch(() => null)
    if (outcome?.code) reason = outcome.stderr.trim().split('\n')[0] ?? reason
    // Looked up even after a failure: a concurrent start may have created it.
    const user = await findUser(systemName)
    if (user) {
      notes.push(
        `The system user "${systemName}" was created to run PostgreSQL, which refuses to run as root`,
      )
      return user
    }
  }
  throw new EmbeddedError(
    `PostgreSQL does not run as root and the system user "${systemName}" could not be made (${reason}): ` +
      'make it, or start Handup as an ordinary user',
  )
}

/** Uses `id`, which consults every source of users, not only /etc/passwd. */
async function findUser(name: string): Promise<SystemUser | null> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name], null), run('id', ['-g', name], null)])
  if (uid.code !== 0 || gid.code !== 0) return null
  return { name: `user "${name}"`, uid: Number(uid.stdout), gid: Number(gid.stdout) }
}
