import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { filesOf } from './commands.ts'
import { type PictureStore, pathOf } from './store.ts'

/** What a file is: its bytes, and their SHA-256. */
export interface FileDigest {
  readonly bytes: number
  readonly sha256: Buffer
}

export interface KnownPicture {
  readonly id: number
  readonly name: string
  readonly fallback: string
  /** Of both files together. */
  readonly bytes: number
  /** Of the WebP and of the other file; null: not noted yet. */
  readonly digests: readonly [string, string] | null
  /** A post or an announcement shows it, or showed it earlier. */
  readonly isShown: boolean
}

export function digestOf(content: Uint8Array): FileDigest {
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest() }
}

/** Rows of one page. */
const PAGE = 500

/** All pictures that the database knows, in the order of their ids. */
export async function* knownPictures(db: Database | Write): AsyncGenerator<KnownPicture> {
  for (let last = 0; ; ) {
    const { rows } = await sql<KnownPicture>`
      select id, name, fallback, bytes, exists (select from post_images where image_id = images.id) as "isShown",
        case when webp_sha256 is not null then
          jsonb_build_array(encode(webp_sha256, 'hex'), encode(fallback_sha256, 'hex')) end as digests
      from images where id > ${last} order by id limit ${PAGE}`.execute(db)
    yield* rows
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.id
  }
}

/**
 * What is wrong with the files of a picture, a line each.
 * @param read what a file is; null: it is not there
 */
export async function harmTo(
  picture: KnownPicture,
  read: (file: string) => Promise<FileDigest | null>,
): Promise<string[]> {
  const files = filesOf(picture)
  const found: (FileDigest | null)[] = []
  for (const file of files) found.push(await read(file))
  const harm = files.flatMap((file, index) => {
    const [digest, known] = [found[index], picture.digests?.[index]]
    if (digest == null) return [`${pathOf(file)} is missing`]
    const isSame = known === undefined || digest.sha256.toString('hex') === known
    return isSame ? [] : [`${pathOf(file)} is damaged`]
  })
  const bytes = found.reduce((sum, digest) => sum + (digest?.bytes ?? 0), 0)
  if (harm.length > 0 || bytes === picture.bytes) return harm
  return [`${pathOf(picture.name)} has ${bytes} bytes instead of ${picture.bytes}`]
}

export function readingFrom(store: PictureStore): (file: string) => Promise<FileDigest | null> {
  return async (file) => {
    const content = await store.get(file)
    return content === null ? null : digestOf(content)
  }
}
