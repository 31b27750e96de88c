import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { UPLOADS } from '../../web/limits/table.ts'
import type { EncodedPicture } from './encode.ts'
import type { PictureStore } from './store.ts'

/** What one person uploads in a day is bounded, however slowly. */
export class TooManyPictures extends Error {}

export interface NewPicture {
  readonly uploaderId: number
  readonly alt: string
  readonly original: Buffer
  readonly encoded: EncodedPicture
}

/** The files of a picture: WebP, and one for readers that do not know it. */
export function filesOf({
  name,
  fallback,
}: {
  readonly name: string
  readonly fallback: string
}): [string, string] {
  return [`${name}.webp`, `${name}.${fallback}`]
}

/**
 * Keeps a picture. Its files come first: a row always has them.
 * @returns its name
 * @throws TooManyPictures
 */
export async function keepPicture(db: Database, store: PictureStore, picture: NewPicture): Promise<string> {
  const { width, height, webp, fallback, fallbackType } = picture.encoded
  const name = `${randomBytes(17).toString('base64url').slice(0, 22)}-${width}x${height}`
  const [first, second] = filesOf({ name, fallback: fallbackType })
  await store.put(first, webp)
  await store.put(second, fallback)
  try {
    await db.transaction().execute((write) => insertPicture(write, picture, name))
  } catch (error) {
    await Promise.all([store.remove(first), store.remove(second)])
    throw error
  }
  return name
}

async function insertPicture(write: Write, picture: NewPicture, name: string): Promise<void> {
  const { uploaderId, alt, original, encoded } = picture
  // Two uploads of one person at once wait for each other: both would find room for one more.
  await sql`select from people where id = ${uploaderId} for no key update`.execute(write)
  const { rows } = await sql<{ pictures: number; bytes: number }>`
    select count(*) as pictures, coalesce(sum(bytes), 0)::bigint as bytes from images
    where uploader_id = ${uploaderId} and uploaded_at > now() - interval '1 day'`.execute(write)
  const bytes = encoded.webp.length + encoded.fallback.length
  const { pictures, bytes: kept } = rows[0] ?? { pictures: 0, bytes: 0 }
  if (pictures >= UPLOADS.pictures || kept + bytes > UPLOADS.bytes) throw new TooManyPictures()
  await write
    .insertInto('images')
    .values({
      name,
      uploader_id: uploaderId,
      sha256: createHash('sha256').update(original).digest(),
      fallback: encoded.fallbackType,
      bytes,
      alt,
    })
    .execute()
}

/** Pictures of one sweep, whose files are removed within its transaction; there is a sweep every hour. */
const BATCH = 500

/**
 * Removes the pictures that no post shows or showed, a day after they were uploaded. Files go first: a sweep that breaks off is
 * repeated. A post that is being written with one of them waits, and finds it gone.
 * @returns how many
 */
export async function sweepPictures(db: Database, store: PictureStore): Promise<number> {
  return db.transaction().execute(async (write) => {
    const orphans = await write
      .selectFrom('images')
      .select(['id', 'name', 'fallback'])
      .where('uploaded_at', '<', sql<Date>`now() - interval '1 day'`)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('post_images')
              .select('post_images.image_id')
              .whereRef('post_images.image_id', '=', 'images.id'),
          ),
        ),
      )
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .skipLocked()
      .execute()
    for (const file of orphans.flatMap(filesOf)) await store.remove(file)
    const ids = orphans.map(({ id }) => id)
    if (ids.length > 0) await write.deleteFrom('images').where('id', 'in', ids).execute()
    return ids.length
  })
}
