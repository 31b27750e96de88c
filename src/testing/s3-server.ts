import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { atEnd, type Ending } from './at-end.ts'

const BUCKET = 'pictures'
/** The one key that the server knows, which is also its secret. */
const KEY = 'S3RVER'

/** An S3-compatible server on this machine that checks signatures, with an empty bucket; stopped after the test. */
export async function anS3Server(test: Ending) {
  const directory = await mkdtemp(join(tmpdir(), 'handup-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    configureBuckets: [{ name: BUCKET }],
  })
  const { port } = await server.run()
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await server.close()
  }
  atEnd(test, async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  })
  const urlWith = (secret: string) =>
    `http://${KEY}:${secret}@127.0.0.1:${port}/${BUCKET}/forum?region=eu-central-1`
  return {
    /** For S3_URL: the bucket, below a prefix. */
    url: urlWith(KEY),
    wrongUrl: urlWith('wrong'),
    /** Keys of all objects, sorted. */
    async keys() {
      const files = await readdir(join(directory, BUCKET), { recursive: true })
      return files
        .filter((file) => file.endsWith('._S3rver_object'))
        .map((file) => file.replace('._S3rver_object', ''))
        .sort()
    },
    stop,
  }
}
