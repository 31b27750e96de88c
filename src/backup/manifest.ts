import { z } from 'zod'

const manifestFields = z.object({
  /** The version of Handup that made it. */
  handup: z.string(),
  /** That PostgreSQL ran it; any of 15 to 18 takes it. */
  postgres: z.string(),
  /** The moment of the snapshot. */
  madeAt: z.iso.datetime(),
  /** What the tables looked like: the last is the newest. */
  migrations: z.array(z.string()).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1), rows: z.int().min(0) })),
  /** The last id each identity column gave; columns that gave none are not here. */
  identities: z.array(z.object({ table: z.string(), column: z.string(), last: z.int() })),
})

/** What a backup holds: the first member of its archive. */
export type Manifest = Readonly<z.infer<typeof manifestFields>>
export type BackedUpTable = Manifest['tables'][number]
export type Identity = Manifest['identities'][number]

/** @returns null when the text is none */
export function readManifest(text: string): Manifest | null {
  try {
    return manifestFields.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * Names of an archive's members. Tables come in parts of about a MB, so that a part's length and checksum are known before
 * it is written while no table has to fit into memory. Each file of sums is for the members since the one before, in the
 * form of `sha256sum --check`.
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

/** What a member's name says it is; null: nothing that belongs into a backup. */
export function parseMemberName(name: string): MemberName | null {
  if (name === MANIFEST) return { kind: 'manifest' }
  if (/^sums\/\d+\.sha256$/.test(name)) return { kind: 'sums' }
  const table = /^tables\/([^/]+)\/\d+\.copy$/.exec(name)?.[1]
  if (table !== undefined) return { kind: 'part', table }
  const path = /^uploads\/(.+)$/s.exec(name)?.[1]
  return path !== undefined && staysInside(path) ? { kind: 'upload', path } : null
}

/** Whether a path leads nowhere but below the folder it is taken from. */
function staysInside(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

const sixDigits = (number: number) => String(number).padStart(6, '0')
