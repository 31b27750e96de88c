import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { GuardedClient } from '../../web/guarded-fetch.ts'

export interface Push {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Posts a push. @returns the status of the answer. @throws NotPublic, and of the network */
export type PostPush = (push: Push, signal: AbortSignal) => Promise<number>

/** Push services answer at once, and say nothing but a status. */
const BOUNDS = { deadline: 5_000, maxBytes: 16 * 1024 } as const

export function pushService(client: GuardedClient = new GuardedClient()): PostPush {
  return async ({ endpoint, headers, body }, signal) => {
    const { status } = await client.fetch(
      { url: endpoint, method: 'POST', headers, body },
      { ...BOUNDS, signal },
    )
    return status
  }
}

const FILE = 'push-keys.json'
const keysSchema = z.object({
  publicKey: z.string().regex(/^[\w-]{87}$/),
  privateKey: z.string().regex(/^[\w-]{43}$/),
})
/** The pair of keys that tells push services which forum sends (RFC 8292), in base64url. */
export type PushKeys = Readonly<z.output<typeof keysSchema>>

/**
 * The forum's keys, made at the first need and kept in `push-keys.json` for good: browsers take pushes of no
 * others.
 * @throws of the file system, or for a file that was damaged
 */
export async function readPushKeys(dataDir: string): Promise<PushKeys> {
  const path = join(dataDir, FILE)
  const known = await readKnown(path)
  if (known !== null) return known
  // Loaded on demand: a forum that nobody wants pushes of does not need it.
  const { default: webPush } = await import('web-push')
  await mkdir(dataDir, { recursive: true })
  const unfinished = `${path}.new-${randomBytes(6).toString('hex')}`
  try {
    await writeFile(unfinished, `${JSON.stringify(webPush.generateVAPIDKeys())}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    })
    // Whole or not at all. Of processes that start together the first one's keys count.
    await link(unfinished, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { force: true })
  }
  const made = await readKnown(path)
  if (made === null) throw new Error(`${path} was removed`)
  return made
}

async function readKnown(path: string): Promise<PushKeys | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    return keysSchema.parse(JSON.parse(text))
  } catch {
    throw new Error(`${path} is damaged: remove it, and everybody switches pushes on again`)
  }
}
