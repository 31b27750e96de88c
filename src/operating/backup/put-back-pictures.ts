import { buffer } from 'node:stream/consumers'
import type { Database } from '../../database/schema.ts'
import { filesOf } from '../../forum/pictures/commands.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { digestOf, harmTo, knownPictures, readingFrom } from '../../forum/pictures/whole.ts'
import { readArchive } from './archive-reader.ts'

/** What was put back, and how many pictures are still not as they were kept. */
export interface PutBack {
  readonly files: number
  readonly stillHarmed: number
}

/**
 * Takes files of pictures that are missing or damaged out of a backup, for a forum that may be running: nothing else is changed.
 * What is not what the row of the picture says stays out.
 * @throws BackupError when the backup is damaged
 */
export async function putBackPictures(db: Database, store: PictureStore, path: string): Promise<PutBack> {
  const harmed = await harmedFiles(db, store)
  let files = 0
  await readArchive(path, async ({ name, content }) => {
    const file = name.kind === 'upload' ? (name.path.split('/').at(-1) ?? '') : ''
    const known = harmed.get(file)
    if (known === undefined) {
      for await (const _ of content);
      return
    }
    const picture = await buffer(content)
    if (known !== null && digestOf(picture).sha256.toString('hex') !== known) return
    await store.put(file, picture)
    files += 1
  })
  return {
    files,
    stillHarmed: files === 0 && harmed.size === 0 ? 0 : (await harmedPictures(db, store)).length,
  }
}

async function harmedPictures(db: Database, store: PictureStore) {
  const harmed = []
  const read = readingFrom(store)
  for await (const picture of knownPictures(db))
    if (picture.isShown && (await harmTo(picture, read)).length > 0) harmed.push(picture)
  return harmed
}

/** Both files of each harmed picture, with the digests that they should have; null: not noted. */
async function harmedFiles(db: Database, store: PictureStore): Promise<ReadonlyMap<string, string | null>> {
  const pictures = await harmedPictures(db, store)
  return new Map(
    pictures.flatMap((picture) =>
      filesOf(picture).map((file, index) => [file, picture.digests?.[index] ?? null] as const),
    ),
  )
}
