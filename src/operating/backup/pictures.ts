import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { filesOf } from '../../forum/pictures/commands.ts'
import { type PictureStore, pathOf } from '../../forum/pictures/store.ts'
import { digestOf, type FileDigest, harmTo, knownPictures, readingFrom } from '../../forum/pictures/whole.ts'
import { readArchive } from './archive-reader.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import { uploadName } from './manifest.ts'
import type { UploadTarget } from './uploads.ts'

export interface HarmedPicture {
  readonly name: string
  /** `ab/abc.webp is missing`, `ab/abc.png is damaged`. */
  readonly lines: readonly string[]
}

export interface AddedPictures {
  readonly files: number
  readonly harmed: readonly HarmedPicture[]
}

/**
 * Adds the pictures that the snapshot's rows name, and compares them with these: a file that is missing, or is not what was kept,
 * is told of where a post shows the picture. Damaged ones are added as they are.
 * @param add adds one file, and tells what it is; null: it is not there
 * @throws StoreUnavailable
 */
export async function addPictures(
  snapshot: Write,
  add: (file: string) => Promise<FileDigest | null>,
): Promise<AddedPictures> {
  let files = 0
  const harmed: HarmedPicture[] = []
  const counted = async (file: string) => {
    const digest = await add(file)
    if (digest !== null) files += 1
    return digest
  }
  for await (const picture of knownPictures(snapshot)) {
    const lines = await harmTo(picture, counted)
    if (lines.length > 0 && picture.isShown) harmed.push({ name: picture.name, lines })
  }
  return { files, harmed }
}

export function fromBucket(archive: ArchiveWriter, bucket: PictureStore) {
  return async (file: string): Promise<FileDigest | null> => {
    const content = await bucket.get(file)
    if (content === null) return null
    await archive.add(uploadName(pathOf(file)), content)
    return digestOf(content)
  }
}

export function fromFolder(archive: ArchiveWriter, folder: string) {
  return (file: string): Promise<FileDigest | null> =>
    archive.addFile(uploadName(pathOf(file)), join(folder, pathOf(file))).catch(nullIfMissing)
}

/** Those that still should be there: one may be removed between the snapshot and the moment when its files are read. */
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

export function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
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

  async ready(): Promise<void> {}

  /** They are in their place before the data are committed. */
  async wasReady(): Promise<boolean> {
    return false
  }

  async finish(): Promise<void> {}

  async keep(): Promise<void> {}

  async discard(): Promise<void> {
    // What stays is in nobody's way; why the restore failed is what counts.
    await Promise.allSettled(this.#added.map((file) => this.#bucket.remove(file)))
  }
}

/**
 * Takes files of pictures that are missing or damaged out of a backup, for a forum that may be running: nothing else is changed.
 * What is not what the row of the picture says stays out.
 * @returns what was put back, and how many pictures are still not as they were kept
 * @throws BackupError when the backup is damaged
 */
export async function putBackPictures(db: Database, store: PictureStore, path: string) {
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
