import { cleanLine } from '../foreign/clean-text.ts'

/** What became of the lines of an export, so that nothing is dropped silently: `read` = `imported` + all of `skipped`. */
export class ImportTally {
  readonly #imported: Map<string, number>
  /** Kind → reason → count. */
  readonly #skipped: Map<string, Map<string, number>>
  /** Imported with a change, or how: note → count. */
  readonly notes: Map<string, number>

  /** Kinds that are told of though none came, in their order. */
  #kinds: readonly string[] = []

  constructor(kept: Kept = {}) {
    this.#imported = new Map(Object.entries(kept.imported ?? {}))
    this.#skipped = new Map(
      Object.entries(kept.skipped ?? {}).map(([kind, reasons]) => [kind, new Map(Object.entries(reasons))]),
    )
    this.notes = new Map(Object.entries(kept.notes ?? {}))
  }

  list(kinds: readonly string[]): void {
    this.#kinds = kinds
  }

  imported(kind: string, count = 1): void {
    add(this.#imported, kind, count)
  }

  skipped(kind: string, reason: string, count = 1): void {
    if (count <= 0) return
    const reasons = this.#skipped.get(kind) ?? new Map<string, number>()
    this.#skipped.set(kind, reasons)
    add(reasons, reason, count)
  }

  note(what: string, count = 1): void {
    add(this.notes, what, count)
  }

  /** Adds what another tally has, but for people. */
  add(other: ImportTally): void {
    for (const [kind, { imported, skipped }] of Object.entries(other.counts)) {
      if (kind === 'people') continue
      this.imported(kind, imported)
      for (const [reason, count] of skipped) this.skipped(kind, reason, count)
    }
    for (const [what, count] of other.notes) this.note(what, count)
  }

  /** By kind, in the order in which they came. */
  get counts(): Readonly<Record<string, Count>> {
    const kinds = [...new Set([...this.#kinds, ...this.#imported.keys(), ...this.#skipped.keys()])]
    return Object.fromEntries(
      kinds.map((kind) => {
        const skipped = this.#skipped.get(kind) ?? new Map<string, number>()
        const imported = this.#imported.get(kind) ?? 0
        const read = imported + [...skipped.values()].reduce((sum, count) => sum + count, 0)
        return [kind, { read, imported, skipped }]
      }),
    )
  }
}

/** The count of one kind: `read` = `imported` + all of `skipped`. */
export interface Count {
  readonly read: number
  readonly imported: number
  /** Reason → count. */
  readonly skipped: ReadonlyMap<string, number>
}

interface Kept {
  readonly imported?: Readonly<Record<string, number>> | undefined
  readonly skipped?: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined
  readonly notes?: Readonly<Record<string, number>> | undefined
}

/** As a run keeps it between its batches. */
export function countsOf({ counts, notes }: ImportTally) {
  return {
    imported: Object.fromEntries(Object.entries(counts).map(([kind, { imported }]) => [kind, imported])),
    skipped: Object.fromEntries(
      Object.entries(counts).map(([kind, { skipped }]) => [kind, Object.fromEntries(skipped)]),
    ),
    notes: Object.fromEntries(notes),
  }
}

/** Reasons that are told apart: a hostile file may have a new one in each line. */
const MAX_REASONS = 500

/** Some reasons quote the file, which may have any characters. */
function add(counts: Map<string, number>, key: string, count: number): void {
  if (count <= 0) return
  const known = counts.has(key) ? key : counts.size < MAX_REASONS ? cleanLine(key) : 'for other reasons'
  counts.set(known, (counts.get(known) ?? 0) + count)
}
