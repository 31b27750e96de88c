import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AwsClient } from 'aws4fetch'
import type { Config } from '../../config.ts'
import { type FileStore, fileStore, pathOf, StoreUnavailable } from './store.ts'

export function pictureStore({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): FileStore {
  return s3Url === null ? fileStore(join(dataDir, 'uploads')) : bucketStore(s3Url)
}

/** Of one request, its retries included. */
const TIMEOUT_MS = 10_000
/** The same of a file of any size. */
const FILE_TIMEOUT_MS = 60 * 60_000
const RETRIES = 2
/** Characters of an error's XML that are looked at. */
const MAX_ERROR_BYTES = 4096
/** What servers of one's own take, and what AWS needs where the host's name does not say it. */
const DEFAULT_REGION = 'us-east-1'
const TYPES: Readonly<Record<string, string>> = {
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
}

/**
 * Pictures as objects of a bucket, addressed by path as every S3-compatible store allows.
 * @param address `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1`, as config.ts checked it
 */
export function bucketStore(address: string, timeoutMs = TIMEOUT_MS): FileStore {
  const { origin, pathname, username, password, searchParams } = new URL(address)
  const base = `${origin}${pathname.replace(/\/+$/, '')}`
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    service: 's3',
    region: searchParams.get('region') ?? DEFAULT_REGION,
    retries: RETRIES,
  })

  async function send(
    method: 'PUT' | 'GET' | 'DELETE',
    file: string,
    { body = null, hash = hashOf(''), timeout = timeoutMs }: Content = {},
  ): Promise<Response> {
    const headers = {
      // The signature covers the content: without it a proxy could change a file on its way over http.
      'x-amz-content-sha256': hash,
      ...(body !== null && { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }),
    }
    const init = { method, headers, body, signal: AbortSignal.timeout(timeout) }
    return away(method, () => client.fetch(`${base}/${pathOf(file)}`, init))
  }

  async function away<Result>(method: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw new StoreUnavailable(`${method} at ${origin} failed: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** @returns null: there is no such object */
  async function request(...[method, file, content]: Parameters<typeof send>): Promise<Response | null> {
    const answer = await send(method, file, content)
    if (answer.ok) return answer
    const said = await away(method, () => answer.text())
    const code = /<Code>(\w{1,64})<\/Code>/.exec(said.slice(0, MAX_ERROR_BYTES))?.[1] ?? ''
    if (answer.status === 404 && code !== 'NoSuchBucket') return null
    throw new StoreUnavailable(`${method} at ${origin} was answered ${`${answer.status} ${code}`.trim()}`)
  }

  async function put(file: string, content: Content): Promise<void> {
    const answer = await request('PUT', file, content)
    if (answer === null) throw new StoreUnavailable(`PUT at ${origin} was answered 404`)
    await answer.body?.cancel()
  }

  return {
    put: (file, content) => put(file, { body: new Uint8Array(content), hash: hashOf(content) }),
    async putFile(file, path) {
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      await put(file, { body: await openAsBlob(path), hash: hash.digest('hex'), timeout: FILE_TIMEOUT_MS })
    },
    async get(file) {
      const answer = await request('GET', file)
      return answer && away('GET', async () => Buffer.from(await answer.arrayBuffer()))
    },
    async stream(file) {
      const answer = await request('GET', file, { timeout: FILE_TIMEOUT_MS })
      if (answer === null) return null
      return Readable.from((answer.body as AsyncIterable<Uint8Array> | null) ?? [])
    },
    async remove(file) {
      const answer = await request('DELETE', file)
      await answer?.body?.cancel()
    },
  }
}

/** What a request brings; `hash` is its SHA-256. */
interface Content {
  readonly body?: Uint8Array<ArrayBuffer> | Blob | null
  readonly hash?: string
  readonly timeout?: number
}

const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** The cause, as that of a failed fetch says more than "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
