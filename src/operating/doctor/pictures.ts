import type { Config } from '../../config.ts'
import { bucketStore } from '../../forum/pictures/bucket.ts'
import { StoreUnavailable } from '../../forum/pictures/store.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Timeout of the store's answer. */
const TIMEOUT_MS = 5000
/** An object that is there for the moment of the check alone. */
const PROBE = 'handup-doctor-probe.txt'

/** Checks that the bucket of pictures takes, gives and removes an object. */
export async function checkPictures({ s3Url }: Pick<Config, 's3Url'>): Promise<Finding> {
  if (s3Url === null) return ok('pictures', 'are below DATA_DIR, in uploads')
  const { host, pathname } = new URL(s3Url)
  const bucket = bucketStore(s3Url, TIMEOUT_MS)
  try {
    await bucket.put(PROBE, Buffer.from(PROBE))
    const isKept = (await bucket.get(PROBE))?.toString() === PROBE
    await bucket.remove(PROBE)
    if (isKept) return ok('pictures', `are in ${host}${pathname}`)
    return problem(
      'pictures',
      `${host}${pathname} doesn’t keep what it accepts`,
      'check S3_URL and that store',
    )
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return problem(
      'pictures',
      `${host}${pathname} can’t be used: ${error.message}`,
      'check S3_URL, its key, secret and region, and that this machine can reach it; uploads are refused and pictures are missing until then',
    )
  }
}
