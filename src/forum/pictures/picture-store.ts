import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { bucketStore } from './bucket.ts'
import { fileStore } from './file-store.ts'
import type { PictureStore } from './store.ts'

/** The store that the configuration names. */
export function pictureStore({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): PictureStore {
  return s3Url === null ? fileStore(join(dataDir, 'uploads')) : bucketStore(s3Url)
}
