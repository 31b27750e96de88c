import { buffer } from 'node:stream/consumers'
import type { Write } from '../../database/schema.ts'
import { filesOf } from '../../forum/pictures/commands.ts'
import { type PictureStore, pathOf } from '../../forum/pictures/store.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { uploadName } from './manifest.ts'
import type { UploadTarget } from './uploads.ts'

/** Rows of a page of `images`. */
const PAGE_SIZE = 500

/**
 * Adds the pictures of a bucket: those that the snapshot's rows name. One that no post shows may be removed meanwhile, and one
 * that is being uploaded may not be there yet.
 * @returns how many files
 * @throws StoreUnavailable
 */
export async function addPictures(
  archive: ArchiveWriter,
  snapshot: Write,
  bucket: PictureStore,
): Promise<number> {
  let files = 0
  for await (const file of pictureFiles(snapshot)) {
    const content = await bucket.get(file)
    if (content === null) continue
    await archive.add(uploadName(pathOf(file)), content)
    files += 1
  }
  return files
}

async function* pictureFiles(snapshot: Write): AsyncGenerator<string> {
  let last = 0
  for (;;) {
    const rows = await snapshot
      .selectFrom('images')
      .select(['id', 'name', 'fallback'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute()
    for (const row of rows) yield* filesOf(row)
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.id
  }
}

/**
 * Restored pictures of a bucket. Their names are random, so that what is there under one is this picture: it stays as it is, also
 * where the restore fails, as another forum may show it.
 * A path of a backup is that of the file's name below its first characters: see pathOf.
 */
export class RestoredPictures implements UploadTarget {
  readonly #bucket: PictureStore
  readonly #added: string[] = []

  constructor(bucket: PictureStore) {
    this.#bucket = bucket
  }

  async refuseUnlessEmpty(): Promise<void> {}

  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = path.split('/').at(-1) ?? path
    const picture = await buffer(content)
    if ((await this.#bucket.get(file)) !== null) return
    this.#added.push(file)
    await this.#bucket.put(file, picture)
  }

  async keep(): Promise<void> {}

  async discard(): Promise<void> {
    // What stays is in nobody's way; why the restore failed is what counts.
    await Promise.allSettled(this.#added.map((file) => this.#bucket.remove(file)))
  }
}
