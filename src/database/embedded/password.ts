import { createHmac, randomBytes } from 'node:crypto'
import { link, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedError } from './error.ts'

/** The two passwords of a cluster: its superuser's, and the forum role's, which is derived from it. */
export interface Passwords {
  superuser: string
  forum: string
}

/**
 * Reads the cluster's secret from `postgres-password` in the data folder, or creates it (256 random bits, mode 0600)
 * before the first cluster, atomically.
 * @param clusterExists a missing file is then an error: a new secret would not open the old cluster
 */
export async function keepPasswords(dataDir: string, clusterExists: boolean): Promise<Passwords> {
  const path = join(dataDir, 'postgres-password')
  await removeUnfinished(path)
  const secret = (await readSecret(path)) ?? (clusterExists ? null : await createSecret(path))
  if (!secret) {
    throw new EmbeddedError(
      `${path} is missing or damaged but its database is there: put the file back from a backup`,
    )
  }
  return { superuser: secret, forum: createHmac('sha256', secret).update('handup').digest('base64url') }
}

async function readSecret(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return /^[\w-]{43}$/.test(text.trim()) ? text.trim() : null
}

async function createSecret(path: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const unfinished = `${path}.new-${randomBytes(6).toString('hex')}`
  try {
    const file = await open(unfinished, 'wx', 0o600)
    try {
      await file.writeFile(`${secret}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rm(path, { force: true }) // a damaged one, of no cluster
    await link(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
  return secret
}

/** Remains of a killed start; the start lock excludes concurrent ones. */
async function removeUnfinished(path: string): Promise<void> {
  const folder = dirname(path)
  const names = await readdir(folder)
  const left = names.filter((name) => join(folder, name).startsWith(`${path}.new-`))
  for (const name of left) await rm(join(folder, name), { force: true })
}
