import { type FileHandle, open } from 'node:fs/promises'
import { cleanText } from '../foreign/clean-text.ts'
import type { DumpFolder, DumpRow } from './dump.ts'

/** PostHistoryTypeId of revisions that carry a body: initial, edit, rollback. */
const BODIES = new Set([2, 5, 8])
/** PostHistoryTypeId of closing; its comment is the number of the reason. */
const CLOSED = 10

interface Place {
  readonly at: number
  readonly bytes: number
}

/** What PostHistory.xml tells of posts. */
export interface DumpHistory {
  /** The Markdown of a post's latest revision; null: the dump has none. */
  sourceOf(postId: number): Promise<string | null>
  /** The number of the reason for which a question was closed last; null: the dump says none. */
  closedFor(postId: number): number | null
}

/**
 * Reads PostHistory.xml twice: a dump may exceed the memory, so its texts wait in a file.
 * @param path of that file, which isn't there yet
 */
export async function withHistory<Result>(
  dump: DumpFolder,
  path: string,
  use: (history: DumpHistory) => Promise<Result>,
): Promise<Result> {
  const latest = new Map<number, { readonly at: number; readonly id: number }>()
  const closed = new Map<number, number>()
  for await (const row of dump.rows('posthistory')) {
    const type = row.id('PostHistoryTypeId')
    if (type === CLOSED) noteClosing(closed, row)
    if (!BODIES.has(type) || row.text('Text') === null) continue
    const revision = { at: row.time('CreationDate').getTime(), id: row.id('Id') }
    const known = latest.get(row.id('PostId'))
    if (known === undefined || revision.at > known.at || (revision.at === known.at && revision.id > known.id))
      latest.set(row.id('PostId'), revision)
  }
  const file = await open(path, 'wx+', 0o600)
  try {
    const places = await keepTexts(dump, file, latest)
    return await use({
      sourceOf: (postId) => textAt(file, places.get(postId)),
      closedFor: (id) => closed.get(id) ?? null,
    })
  } finally {
    await file.close()
  }
}

function noteClosing(closed: Map<number, number>, row: DumpRow): void {
  const reason = Number(row.text('Comment') ?? '')
  if (Number.isInteger(reason)) closed.set(row.id('PostId'), reason)
}

async function keepTexts(
  dump: DumpFolder,
  file: FileHandle,
  latest: ReadonlyMap<number, { readonly id: number }>,
): Promise<Map<number, Place>> {
  const places = new Map<number, Place>()
  let at = 0
  for await (const row of dump.rows('posthistory')) {
    if (!BODIES.has(row.id('PostHistoryTypeId')) || latest.get(row.id('PostId'))?.id !== row.id('Id'))
      continue
    const bytes = Buffer.from(cleanText(row.requiredText('Text')))
    await file.write(bytes, 0, bytes.length, at)
    places.set(row.id('PostId'), { at, bytes: bytes.length })
    at += bytes.length
  }
  return places
}

async function textAt(file: FileHandle, place: Place | undefined): Promise<string | null> {
  if (place === undefined) return null
  const bytes = Buffer.alloc(place.bytes)
  await file.read(bytes, 0, place.bytes, place.at)
  return bytes.toString('utf8')
}
