import { z } from 'zod'

const manifestFields = z.object({
  /** The version of Handup that wrote it. */
  handup: z.string(),
  /** The version of PostgreSQL it was written from; each of 15 to 18 can restore it. */
  postgres: z.string(),
  /** The time of the snapshot. */
  madeAt: z.iso.datetime(),
  /** The migrations of the tables, in order. */
  migrations: z.array(z.string()).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1), rows: z.int().min(0) })),
  /** The last id of each identity column; columns that were never used are absent. */
  identities: z.array(z.object({ table: z.string(), column: z.string(), last: z.int() })),
})

/** Metadata of a backup: the first member of its archive. */
export type Manifest = Readonly<z.infer<typeof manifestFields>>
export type BackedUpTable = Manifest['tables'][number]
export type Identity = Manifest['identities'][number]

/** @returns null when the text is not a manifest */
export function readManifest(text: string): Manifest | null {
  try {
    return manifestFields.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Names of an archive's members. Tables are split into parts of about 1 MB, so that the length of each part
 * is known before it is written, and no table must fit into memory.
 */
export const MANIFEST = 'manifest.json'
export const partName = (table: string, number: number) =>
  `tables/${table}/${String(number).padStart(6, '0')}.copy`
export const uploadName = (path: string) => `uploads/${path}`

export type MemberName =
  | { readonly kind: 'manifest' }
  /** Checksums of members, in backups of format 1: the seal has that of all. */
  | { readonly kind: 'sums' }
  | { readonly kind: 'part'; readonly table: string }
  | { readonly kind: 'upload'; readonly path: string }

/** What kind of member a name denotes; null: not part of a backup. */
export function parseMemberName(name: string): MemberName | null {
  if (name === MANIFEST) return { kind: 'manifest' }
  if (/^sums\/\d+\.sha256$/.test(name)) return { kind: 'sums' }
  const table = /^tables\/([^/]+)\/\d+\.copy$/.exec(name)?.[1]
  if (table !== undefined) return { kind: 'part', table }
  const path = /^uploads\/(.+)$/s.exec(name)?.[1]
  return path !== undefined && staysInside(path) ? { kind: 'upload', path } : null
}

function staysInside(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

/** Minimum size of a part in bytes, except for the last one. */
const MIN_PART_BYTES = 1024 * 1024
const LINE_END = 0x0a

/**
 * Splits the output of COPY into parts of about 1 MB that end with a row: line breaks inside values are
 * escaped. A row larger than a part is not split.
 */
export async function* partsOf(copy: AsyncIterable<Buffer>, size = MIN_PART_BYTES) {
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of copy) {
    chunks.push(chunk)
    length += chunk.length
    const lastEnd = chunk.lastIndexOf(LINE_END)
    if (length < size || lastEnd === -1) continue
    const all = Buffer.concat(chunks)
    const end = length - chunk.length + lastEnd + 1
    yield { bytes: all.subarray(0, end), rows: rowsIn(all.subarray(0, end)) }
    chunks = [all.subarray(end)]
    length -= end
  }
  if (length === 0) return
  const rest = Buffer.concat(chunks)
  yield { bytes: rest, rows: rowsIn(rest) }
}

/** The number of rows of COPY's text that end in these bytes. */
export function rowsIn(bytes: Uint8Array): number {
  let rows = 0
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) rows += 1
  return rows
}
