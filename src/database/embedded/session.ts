import pg from 'pg'
import { EmbeddedError } from './error.ts'

/** Advisory locks in the database "postgres", separate from those of the forum's own database. */
const family = 0x68616e64 // "hand"
const users = 1 // held shared by every user of the server
const app = 2 // held by the one running app

/** Who opens a session; visible as its application name. */
export type Role = 'app' | 'command'

/**
 * Connects to the cluster as its superuser and registers as a user of the server.
 * @returns null to retry: the server is starting, or its last user is stopping it
 * @throws EmbeddedError when the password is refused
 */
export async function joinServer(port: number, password: string, role: Role): Promise<pg.Client | null> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    application_name: `handup ${role} ${process.pid}`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  })
  client.on('error', () => {}) // a lost session is noticed by its 'end'
  try {
    await client.connect()
    if (await ask(client, 'pg_try_advisory_lock_shared', users)) return client
  } catch (error) {
    if ((error as pg.DatabaseError).code?.startsWith('28')) {
      throw new EmbeddedError(
        'The embedded PostgreSQL refuses the password in postgres-password: put back the file that belongs to it',
        { cause: error },
      )
    }
  }
  await client.end().catch(() => {})
  return null
}

/** Makes this session the one running app. A killed app's lock ends with its connection. */
export async function claimApp(client: pg.Client): Promise<boolean> {
  return ask(client, 'pg_try_advisory_lock', app)
}

/** The process number of the running app, null when there is none. */
export async function findAppPid(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: string }>(
    `select split_part(activity.application_name, ' ', 3) as pid
       from pg_locks as lock join pg_stat_activity as activity on activity.pid = lock.pid
      where lock.locktype = 'advisory' and lock.granted and lock.classid = $1 and lock.objid = $2`,
    [family, app],
  )
  return Number(rows[0]?.pid) || null
}

/** Unregisters from the server. True: there is no other user and none can register, so the caller must stop it. */
export async function leaveServer(client: pg.Client): Promise<boolean> {
  await ask(client, 'pg_advisory_unlock_shared', users)
  return ask(client, 'pg_try_advisory_lock', users)
}

async function ask(client: pg.Client, lockFunction: string, key: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`select ${lockFunction}($1, $2) as got`, [
    family,
    key,
  ])
  return rows[0]?.got ?? false
}
