import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { AwsClient } from 'aws4fetch'
import type { Config } from '../../config.ts'
import { fileStore, type PictureStore, pathOf, StoreUnavailable } from './store.ts'

export function pictureStore({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): PictureStore {
  return s3Url === null ? fileStore(join(dataDir, 'uploads')) : bucketStore(s3Url)
}

/** Of one request, its retries included. */
const TIMEOUT_MS = 10_000
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
export function bucketStore(address: string, timeoutMs = TIMEOUT_MS): PictureStore {
  const { origin, pathname, username, password, searchParams } = new URL(address)
  const base = `${origin}${pathname.replace(/\/+$/, '')}`
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    service: 's3',
    region: searchParams.get('region') ?? DEFAULT_REGION,
    retries: RETRIES,
  })

  async function send(method: 'PUT' | 'GET' | 'DELETE', file: string, body: Buffer | null = null) {
    const headers = {
      // The signature covers the content: without it a proxy could change a picture on its way over http.
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
      ...(body !== null && { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }),
    }
    const init = {
      method,
      headers,
      body: body && new Uint8Array(body),
      signal: AbortSignal.timeout(timeoutMs),
    }
    try {
      const answer = await client.fetch(`${base}/${pathOf(file)}`, init)
      return { ok: answer.ok, status: answer.status, content: Buffer.from(await answer.arrayBuffer()) }
    } catch (error) {
      throw new StoreUnavailable(`${method} at ${origin} failed: ${reasonOf(error)}`, { cause: error })
    }
  }

  /** @returns null: there is no such object */
  async function request(...[method, file, body]: Parameters<typeof send>): Promise<Buffer | null> {
    const { ok, status, content } = await send(method, file, body)
    if (ok) return content
    const code = /<Code>(\w{1,64})<\/Code>/.exec(content.toString('utf8', 0, MAX_ERROR_BYTES))?.[1] ?? ''
    if (status === 404 && code !== 'NoSuchBucket') return null
    throw new StoreUnavailable(`${method} at ${origin} was answered ${`${status} ${code}`.trim()}`)
  }

  return {
    async put(file, content) {
      if ((await request('PUT', file, content)) === null)
        throw new StoreUnavailable(`PUT at ${origin} was answered 404`)
    },
    get: (file) => request('GET', file),
    async remove(file) {
      await request('DELETE', file)
    },
  }
}

/** The cause, as that of a failed fetch says more than "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
