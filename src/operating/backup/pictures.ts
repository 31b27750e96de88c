import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { nullIfMissing } from '../../database/embedded/error.ts'
import type { Database, Write } from '../../database/schema.ts'
import { filesOf } from '../../forum/pictures/commands.ts'
import { type PictureStore, pathOf } from '../../forum/pictures/store.ts'
import { digestOf, type FileDigest, harmTo, knownPictures, readingFrom } from '../../forum/pictures/whole.ts'
import { readArchive } from './archive-reader.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { uploadName } from './manifest.ts'
import type { UploadTarget } from './restored-uploads.ts'

interface HarmedPicture {
  readonly name: string
  /** `ab/abc.webp is missing`, `ab/abc.png is damaged`. */
  readonly lines: readonly string[]
}

/**
 * Adds the pictures that the snapshot's rows name, and compares them with these: a file that is missing, or is not what was kept,
 * is told of where a post shows the picture. Damaged ones are added as they are.
 * @param place the folder or bucket where they are
 * @returns the number of files
 * @throws StoreUnavailable
 */
export async function addPictures(snapshot: Write, archive: ArchiveWriter, place: PictureStore | string) {
  let files = 0
  const harmed: HarmedPicture[] = []
  const add = async (file: string) => {
    const digest = await addPicture(archive, place, file)
    if (digest !== null) files += 1
    return digest
  }
  for await (const picture of knownPictures(snapshot)) {
    const lines = await harmTo(picture, add)
    if (lines.length > 0 && picture.isShown) harmed.push({ name: picture.name, lines })
  }
  return { files, harmed }
}

/** @returns null: it is not there */
async function addPicture(
  archive: ArchiveWriter,
  place: PictureStore | string,
  file: string,
): Promise<FileDigest | null> {
  const path = pathOf(file)
  if (typeof place === 'string')
    return archive.addFile(uploadName(path), join(place, path)).catch(nullIfMissing)
  const content = await place.get(file)
  if (content === null) return null
  await archive.add(uploadName(path), content.length, [content])
  return digestOf(content)
}

/**
 * Those that still should be there: one may be removed between the snapshot and the moment when its files are
 * read.
 */
export async function stillHarmed(
  db: Database,
  harmed: readonly HarmedPicture[],
): Promise<readonly HarmedPicture[]> {
  if (harmed.length === 0) return harmed
  const { rows } = await sql<{ name: string }>`
    select name from images where name = any(${harmed.map(({ name }) => name)}::text[])
      and exists (select from post_images where image_id = images.id)`.execute(db)
  const there = new Set(rows.map(({ name }) => name))
  return harmed.filter(({ name }) => there.has(name))
}

/**
 * Restored pictures of a bucket, in their place before the data are committed. Their names are random, so
 * that what is there under one is this picture: it stays as it is, also where the restore fails, as another
 * forum may show it. A path of a backup is that of the file's name below its first characters: see pathOf.
 */
export function restoredPictures(bucket: PictureStore): UploadTarget {
  const added: string[] = []
  return {
    async add(path, content) {
      const file = path.split('/').at(-1) ?? path
      const picture = await buffer(content)
      if ((await bucket.get(file)) !== null) return
      added.push(file)
      await bucket.put(file, picture)
    },
    async discard() {
      // What stays is in nobody's way; why the restore failed is what counts.
      await Promise.allSettled(added.map((file) => bucket.remove(file)))
    },
  }
}

/**
 * Takes files of pictures that are missing or damaged out of a backup, for a forum that may be running: nothing else is changed.
 * What is not what the row of the picture says stays out.
 * @returns what was put back, and how many pictures are still not as they were kept
 * @throws BackupError when the backup is damaged
 */
export async function putBackPictures(db: Database, store: PictureStore, path: string) {
  // Both files of each, with the digests that they should have; null: not noted.
  const harmed = new Map(
    (await harmedPictures(db, store)).flatMap((picture) =>
      filesOf(picture).map((file, index) => [file, picture.digests?.[index] ?? null] as const),
    ),
  )
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
