import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { author, table, unmissed } from '../../database/table.ts'
import { UPLOADS } from '../../kernel/limits.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { pictureAddress } from '../../text/picture-address.ts'
import type { EncodedPicture } from './encode.ts'
import type { PictureStore } from './store.ts'

/** Pictures that a post shows stay with it, nobody's. */
export const images = table('images', { uploader_id: { ...unmissed(author), leaving: 'empty' } })

/** What one person uploads in a day is bounded, however slowly. */
export class TooManyPictures extends Error {}

/** The files of a picture: WebP, and one for readers that do not know it. */
export function filesOf({ name, fallback }: Readonly<Record<'name' | 'fallback', string>>): [string, string] {
  return [`${name}.webp`, `${name}.${fallback}`]
}

/**
 * Keeps the row of a picture, before its files: files without a row would be found by no one, while a row whose files never came is a
 * picture that no post shows, which the sweep removes.
 * @returns its name
 * @throws TooManyPictures
 */
export async function insertPicture(
  write: Write,
  uploaderId: number,
  alt: string,
  file: PictureFile,
): Promise<string> {
  const { webp, fallback } = file.encoded
  // Two uploads of one person at once wait for each other: both would find room for one more.
  await sql`select from people where id = ${uploaderId} for no key update`.execute(write)
  const { rows } = await sql<{ pictures: number; bytes: number }>`
    select count(*) as pictures, coalesce(sum(bytes), 0)::bigint as bytes from images
    where uploader_id = ${uploaderId} and uploaded_at > now() - interval '1 day'`.execute(write)
  const bytes = webp.length + fallback.length
  const { pictures, bytes: kept } = rows[0] ?? { pictures: 0, bytes: 0 }
  if (pictures >= UPLOADS.pictures || kept + bytes > UPLOADS.bytes) throw new TooManyPictures()
  return (await insertPictureOf(write, uploaderId, alt, file)).name
}

/** The same however many somebody brings: an import has bounds of its own. */
export async function insertPictureOf(
  write: Write,
  uploaderId: number,
  alt: string,
  { original, encoded }: PictureFile,
): Promise<{ id: number; name: string }> {
  const name = `${randomBytes(17).toString('base64url').slice(0, 22)}-${encoded.width}x${encoded.height}`
  const bytes = encoded.webp.length + encoded.fallback.length
  const { id } = await write
    .insertInto('images')
    .values({
      name,
      uploader_id: uploaderId,
      sha256: createHash('sha256').update(original).digest(),
      fallback: encoded.fallbackType,
      webp_sha256: createHash('sha256').update(encoded.webp).digest(),
      fallback_sha256: createHash('sha256').update(encoded.fallback).digest(),
      bytes,
      alt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, name }
}

/** Puts the files of a picture whose row is kept. @throws StoreUnavailable, and the row is removed then */
export async function putFiles(
  db: Database,
  store: PictureStore,
  name: string,
  { webp, fallback, fallbackType }: EncodedPicture,
): Promise<void> {
  const [first, second] = filesOf({ name, fallback: fallbackType })
  try {
    await store.put(first, webp)
    await store.put(second, fallback)
  } catch (error) {
    // What cannot be removed now goes with the sweep.
    await Promise.allSettled([store.remove(first), store.remove(second)])
    await db.deleteFrom('images').where('name', '=', name).execute()
    throw error
  }
}

/** Pictures of one sweep, whose files are removed within its transaction; it goes on until it finds fewer. */
const BATCH = 50

/**
 * Removes the pictures that no post shows or showed, a day after they were uploaded, or as soon as who did is gone. Files go first: a sweep that breaks off is
 * repeated. A post that is being written with one of them waits, and finds it gone.
 * @param isStopping checked after each batch
 * @returns how many
 * @throws StoreUnavailable
 */
export async function sweepPictures(
  db: Database,
  store: PictureStore,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let all = 0
  for (;;) {
    const some = await db.transaction().execute((write) => sweepSome(write, store))
    all += some
    if (some < BATCH || isStopping()) return all
  }
}

async function sweepSome(write: Write, store: PictureStore): Promise<number> {
  const orphans = await write
    .selectFrom('images')
    .select(['id', 'name', 'fallback'])
    .where(sql<boolean>`(uploaded_at < now() - interval '1 day' or uploader_id is null)`)
    .where(sql<boolean>`not exists (select from post_images where image_id = images.id)`)
    .where(sql<boolean>`not exists (select from case_images where image_id = images.id)`)
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .skipLocked()
    .execute()
  await Promise.all(orphans.flatMap(filesOf).map((file) => store.remove(file)))
  const ids = orphans.map(({ id }) => id)
  if (ids.length > 0) await write.deleteFrom('images').where('id', 'in', ids).execute()
  return ids.length
}

export class PictureFile {
  readonly original: Buffer
  readonly encoded: EncodedPicture

  constructor(original: Buffer, encoded: EncodedPicture) {
    this.original = original
    this.encoded = encoded
  }
}

/** Addresses and words: the pictures themselves are there for the owner, signed in. */
export const ownPictures = ownPart('pictures', async (db, { id: personId }, baseUrl) => {
  const pictures = await db
    .selectFrom('images')
    .select(['name', 'alt', 'bytes', 'uploaded_at as uploadedAt'])
    .where('uploader_id', '=', personId)
    .orderBy('id')
    .execute()
  return pictures.map(({ name, ...picture }) => ({
    address: `${baseUrl}${pictureAddress(name)}`,
    ...picture,
  }))
})
