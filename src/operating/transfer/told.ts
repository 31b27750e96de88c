import { z } from 'zod'
import type { Translate } from '../../messages/catalogue.ts'
import { type Said, saidOn } from './said.ts'

const counted = z.record(z.string(), z.number())
/** What a dry run or an import told, as its row keeps it. */
const TOLD = z.object({
  imported: counted,
  skipped: z.record(z.string(), counted),
  notes: counted,
  asks: z.array(z.enum(['anonymous', 'groups'])),
})

interface Counted extends Said {
  readonly count: number
}

/** What would come or came: by kind with what is left out and why, then what is said of it. */
export interface Told {
  readonly kinds: readonly (Counted & { readonly skipped: readonly Counted[] })[]
  readonly notes: readonly Counted[]
  readonly asks: readonly ('anonymous' | 'groups')[]
}

/** A row keeps no order. */
const FIRST = ['questions', 'answers', 'replies', 'people']

/** @param kept of a row; null: nothing was told yet */
export function toldOn(t: Translate, kept: unknown): Told | null {
  if (kept === null) return null
  const { imported, skipped, notes, asks } = TOLD.parse(kept)
  const kinds = [...new Set([...FIRST, ...Object.keys(imported), ...Object.keys(skipped)])]
  return {
    kinds: kinds
      .map((kind) => ({
        ...saidOn(t, kind),
        count: imported[kind] ?? 0,
        skipped: countedOn(t, skipped[kind] ?? {}),
      }))
      .filter(({ count, skipped }) => count > 0 || skipped.length > 0),
    notes: countedOn(t, notes),
    asks,
  }
}

/** Most first; what is said alike is one. */
function countedOn(t: Translate, counts: Readonly<Record<string, number>>): Counted[] {
  const said = new Map<string, Counted>()
  for (const [english, count] of Object.entries(counts)) {
    const one = saidOn(t, english)
    said.set(one.text, { ...one, count: count + (said.get(one.text)?.count ?? 0) })
  }
  return [...said.values()].sort((one, other) => other.count - one.count)
}
