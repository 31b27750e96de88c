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
 * Names of an archive's members. Tables are split into parts of about 1 MB, so that length and checksum of each part
 * are known before it is written, and no table must fit into memory. Each checksum file covers the members since the
 * previous one, in the format of `sha256sum --check`.
 */
export const MANIFEST = 'manifest.json'
export const partName = (table: string, number: number) => `tables/${table}/${sixDigits(number)}.copy`
export const sumsName = (number: number) => `sums/${sixDigits(number)}.sha256`
export const uploadName = (path: string) => `uploads/${path}`

export type MemberName =
  | { readonly kind: 'manifest' }
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

/** Whether a path stays inside the folder that it is resolved against. */
function staysInside(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const sixDigits = (number: number) => String(number).padStart(6, '0')
