import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../database/schema.ts'
import type { PictureStore } from '../forum/pictures/store.ts'
import type { Count } from '../operating/exchange/import-tally.ts'
import { type ConversionOptions, importSource } from '../operating/imports/foreign-import.ts'
import { STACKEXCHANGE } from '../operating/imports/stackexchange.ts'
import { atEnd, type Ending } from './at-end.ts'

/** Attributes of a row; missing ones get a plausible value. */
type Attributes = Readonly<Record<string, string | number>>

export interface DumpOptions {
  readonly users?: readonly Attributes[]
  readonly posts?: readonly Attributes[]
  readonly comments?: readonly Attributes[]
  readonly history?: readonly Attributes[]
  /** Overrides of files: the whole text, or null for no file. */
  readonly files?: Readonly<Record<string, string | Buffer | null>>
}

const WHEN = '2018-03-12T17:00:45.567'

/**
 * Writes a small dump into a temporary folder, removed after the test.
 * @returns the folder
 */
export async function aDump(test: Ending, options: DumpOptions = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-dump-'))
  atEnd(test, () => rm(folder, { recursive: true }))
  const files: Record<string, string | Buffer | null> = {
    'Users.xml': xml('users', options.users ?? [{ Id: 7, DisplayName: 'Ada' }], { CreationDate: WHEN }),
    'Posts.xml': xml('posts', options.posts ?? [aDumpQuestion()], {}),
    'Comments.xml': xml('comments', options.comments ?? [], { Score: 0, CreationDate: WHEN, UserId: 7 }),
    ...(options.history && {
      'PostHistory.xml': xml('posthistory', options.history, { CreationDate: WHEN }),
    }),
    ...options.files,
  }
  for (const [name, text] of Object.entries(files))
    if (text !== null) await writeFile(join(folder, name), text)
  return folder
}

/** Imports such a dump into the course `physics`. */
export async function importDump(test: Ending, db: Database, options: DumpOptions) {
  const folder = await aDump(test, options)
  const course = { slug: 'physics', title: 'Physics' }
  return importStackExchange(db, { folder, course, origin: 'physics.example' })
}

/** @returns the counts and notes beside it, as the closing table has them */
export async function importStackExchange(
  db: Database,
  {
    folder,
    ...options
  }: { readonly folder: string } & Pick<ConversionOptions, 'course' | 'origin' | 'onProgress'>,
) {
  const { tally, ...told } = await importSource(db, NO_PICTURES, {
    path: folder,
    source: STACKEXCHANGE,
    ...options,
  })
  return { ...told, counts: tally.counts, notes: tally.notes }
}

/** Pictures of a dump are links. */
export const NO_PICTURES: PictureStore = {
  put: () => Promise.reject(new Error('no picture was asked for')),
  get: async () => null,
  remove: async () => undefined,
}

/** Reasons and counts of skipped rows, for comparing. */
export function skips(count: Count | undefined): Record<string, number> {
  return Object.fromEntries(count?.skipped ?? [])
}

export function aDumpQuestion(attributes: Attributes = {}): Attributes {
  return {
    Id: 1,
    PostTypeId: 1,
    CreationDate: WHEN,
    Score: 0,
    ViewCount: 1,
    Body: '<p>How?</p>',
    OwnerUserId: 7,
    LastActivityDate: WHEN,
    Title: 'Can a machine simulate it?',
    Tags: '<simulation>',
    ...attributes,
  }
}

export function aDumpAnswer(attributes: Attributes = {}): Attributes {
  return {
    Id: 2,
    PostTypeId: 2,
    ParentId: 1,
    CreationDate: WHEN,
    Score: 0,
    Body: '<p>So.</p>',
    OwnerUserId: 7,
    ...attributes,
  }
}

function xml(root: string, rows: readonly Attributes[], defaults: Attributes): string {
  const lines = rows.map((row) => `  <row ${attributesOf({ ...defaults, ...row })} />`)
  return `\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<${root}>\n${lines.join('\n')}\n</${root}>`
}

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeAttribute(String(value))}"`)
    .join(' ')
}

function escapeAttribute(value: string): string {
  return value
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\n/g, '&#xA;')
}
