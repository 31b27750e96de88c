import type { Write } from '../../database/schema.ts'
import type { DumpFolder } from './dump.ts'

/** Reports the current step with its total, then each advance. */
export interface ImportProgress {
  begin(label: string, amount: number): void
  advance(amount: number): void
}

/** What the rows of a dump are known by, beside their ids. */
export const SOURCE = 'stackexchange'

/** What every step of an import works with. All steps share one transaction. */
export interface CourseImport {
  readonly write: Write
  readonly dump: DumpFolder
  readonly tally: Tally
  readonly onProgress: ImportProgress | undefined
  readonly courseId: number
  /** Which site the dump is of: ids are unique in it. */
  readonly origin: string
  /** The course's default category. */
  readonly categoryId: number
}

/** The lines of the closing table. */
const KINDS = ['people', 'former members', 'questions', 'answers', 'replies', 'other posts'] as const
export type Kind = (typeof KINDS)[number]

/** The count of one kind of item in a dump: `read` = `imported` + all of `skipped`. */
export interface Count {
  read: number
  imported: number
  /** Reason → count. */
  readonly skipped: Map<string, number>
}

/** Counts every item read and what became of it, so that nothing is dropped silently. */
export class Tally {
  readonly counts = Object.fromEntries(
    KINDS.map((kind) => [kind, { read: 0, imported: 0, skipped: new Map() }]),
  ) as Readonly<Record<Kind, Count>>
  /** Imported with a change: note → count. */
  readonly notes = new Map<string, number>()
  /** Files of the dump that were not read. */
  readonly unread: readonly string[]

  constructor(unread: readonly string[]) {
    this.unread = unread
  }

  imported(kind: Kind, count = 1): void {
    this.counts[kind].read += count
    this.counts[kind].imported += count
  }

  skipped(kind: Kind, reason: string, count = 1): void {
    if (count === 0) return
    this.counts[kind].read += count
    add(this.counts[kind].skipped, reason, count)
  }

  note(what: string, count = 1): void {
    if (count > 0) add(this.notes, what, count)
  }
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
