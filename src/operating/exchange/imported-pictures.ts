import type { Write } from '../../database/schema.ts'
import { filesOf, insertPictureOf, PictureFile } from '../../forum/pictures/commands.ts'
import type { PictureStore } from '../../forum/pictures/store.ts'
import { cleanLine, cut } from '../foreign/clean-text.ts'
import type { ExchangeFolder } from './folder-reader.ts'
import type { Line } from './format.ts'
import type { ImportRun } from './import-run.ts'

/** As in the constraint images_alt_length. */
const MAX_ALT = 300

interface Source {
  readonly run: ImportRun
  readonly folder: ExchangeFolder
  readonly store: PictureStore
  /** Of the export, by id. */
  readonly files: ReadonlyMap<string, Line<'files'>>
}

/**
 * Brings pictures of an export along, each once, as uploads of who shows it first: read and encoded again as those are. What is no picture
 * or isn't there is left out, and noted.
 * @param shown ids of files → the person whose post shows it
 * @param isKept false: only those that are here already
 * @returns id of the file → id and name of the picture
 */
export async function picturesFor(
  write: Write,
  source: Source,
  shown: ReadonlyMap<string, number>,
  { isKept = true }: { readonly isKept?: boolean } = {},
): Promise<Map<string, { id: number; name: string }>> {
  const { run } = source
  const pictures = new Map<string, { id: number; name: string }>()
  if (shown.size === 0) return pictures
  if (run.copiedFrom !== null) return sharedBy(write, source, [...shown.keys()])
  const known = await write
    .selectFrom('imported_things as thing')
    .innerJoin('images as image', 'image.id', 'thing.image_id')
    .select(['thing.external_id', 'image.id', 'image.name'])
    .where('thing.course_id', '=', run.courseId)
    .where('thing.source', '=', run.source)
    .where('thing.origin', '=', run.origin)
    .where('thing.kind', '=', 'file')
    .where('thing.external_id', 'in', [...shown.keys()])
    .execute()
  for (const { external_id, id, name } of known) pictures.set(external_id, { id, name })
  for (const [id, personId] of shown) {
    if (pictures.has(id) || !isKept) continue
    const kept = await keep(write, source, id, personId)
    if (kept !== null) pictures.set(id, kept)
  }
  return pictures
}

/** Of a copy, whose pictures are here, by their names. Locked against the sweep, which takes what no post shows. */
async function sharedBy(write: Write, { files }: Source, ids: readonly string[]) {
  const names = ids.filter((id) => files.has(id))
  if (names.length === 0) return new Map<string, { id: number; name: string }>()
  const rows = await write
    .selectFrom('images')
    .select(['id', 'name'])
    .where('name', 'in', names)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Map(rows.map((row) => [row.name, row]))
}

async function keep(write: Write, { run, folder, store, files }: Source, id: string, personId: number) {
  const file = files.get(id)
  if (file === undefined || file.kept !== 'blob' || file.path === null) return null
  const original = await folder.blob(file.path)
  // Loaded with the first picture: the codecs take 20 MB.
  const { encodePicture, RefusedPicture } = await import('../../forum/pictures/encode.ts')
  const encoded =
    original === null
      ? null
      : await encodePicture(original).catch((error: unknown) => {
          if (error instanceof RefusedPicture) return null
          throw error
        })
  if (original === null || encoded === null) {
    run.tally.note('pictures that are missing or can’t be read: left out')
    return null
  }
  const picture = await insertPictureOf(
    write,
    personId,
    cut(cleanLine(file.alt), MAX_ALT),
    new PictureFile(original, encoded),
  )
  const [first, second] = filesOf({ name: picture.name, fallback: encoded.fallbackType })
  await store.put(first, encoded.webp)
  await store.put(second, encoded.fallback)
  const { courseId, source, origin } = run
  await write
    .insertInto('imported_things')
    .values({
      course_id: courseId,
      source,
      origin,
      kind: 'file',
      external_id: id,
      run_id: run.id,
      image_id: picture.id,
    })
    .execute()
  run.tally.imported('pictures')
  return picture
}
