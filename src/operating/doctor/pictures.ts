import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { bucketStore, pictureStore } from '../../forum/pictures/picture-store.ts'
import { StoreUnavailable } from '../../forum/pictures/store.ts'
import { harmTo, knownPictures, readingFrom } from '../../forum/pictures/whole.ts'
import { leftByRestores } from '../backup/restored-uploads.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

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

/** Pictures that are read of a bucket, which costs: those that came last. */
const MAX_OF_BUCKET = 500
const MAX_NAMED = 3

/** Compares the pictures that posts show with their rows: names, bytes and digests. */
export async function checkPictureFiles(db: Database, config: Config): Promise<Finding> {
  const read = readingFrom(pictureStore(config))
  const shown = []
  for await (const picture of knownPictures(db)) if (picture.isShown) shown.push(picture)
  const looked = config.s3Url === null ? shown : shown.slice(-MAX_OF_BUCKET)
  const harm: string[] = []
  let harmed = 0
  try {
    for (const picture of looked) {
      const lines = await harmTo(picture, read)
      if (lines.length > 0) harmed += 1
      harm.push(...lines.slice(0, MAX_NAMED - harm.length))
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return warning('uploads', `could not be read: ${error.message}`, 'see above')
  }
  const of =
    looked.length === shown.length ? `${shown.length}` : `the last ${looked.length} of ${shown.length}`
  if (harmed === 0) return ok('uploads', `of the pictures that posts show, ${of} looked at: all whole`)
  return problem(
    'uploads',
    `of the pictures that posts show, ${of} looked at, ${harmed} are missing or damaged: ${harm.join(', ')}${harmed > harm.length ? ', …' : ''}`,
    'check that DATA_DIR or S3_URL hasn’t changed; `handup restore FILE --pictures` puts them back from a backup that has them',
  )
}

/** Looks for restores that did not end. */
export async function checkRestores({ dataDir }: Pick<Config, 'dataDir'>): Promise<Finding[]> {
  return (await leftByRestores(dataDir)).map(({ path, isWhole }) =>
    isWhole
      ? problem(
          'restore',
          `did not finish: its pictures are in ${path}`,
          'run the same restore again: it continues',
        )
      : warning('restore', `did not finish, and changed nothing: ${path}`, 'run the restore again'),
  )
}
