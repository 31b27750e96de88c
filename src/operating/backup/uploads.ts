import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { nullIfMissing } from '../../database/embedded/error.ts'
import { bucketStore } from '../../forum/pictures/picture-store.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'

/** Where uploads are: below DATA_DIR, or in the bucket that is used instead. */
export interface UploadPlace {
  readonly dataDir: string
  readonly bucket?: PictureStore | null
}

export function uploadsFolder(dataDir: string): string {
  return join(dataDir, 'uploads')
}

/** Relative paths of all files below a folder, with `/` as separator; none when the folder does not exist. */
export async function* filesBelow(folder: string, under = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, under), { withFileTypes: true }).catch(nullIfMissing)
  for (const entry of (entries ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, path)
    else if (entry.isFile()) yield path
  }
}

export function uploadPlace({ dataDir, s3Url }: Pick<Config, 'dataDir' | 's3Url'>): UploadPlace {
  return { dataDir, bucket: s3Url === null ? null : bucketStore(s3Url) }
}
