import type { Count } from '../../operating/exchange/import-tally.ts'

const HEAD = ['', 'read', 'imported', 'skipped', 'why'] as const

/** What an import tells. */
interface Told {
  readonly counts: Readonly<Record<string, Count>>
  readonly notes: ReadonlyMap<string, number>
  readonly unread?: readonly string[]
}

/**
 * The closing table of an import: a line for each kind of item, then what was imported with changes, and files that
 * were not read.
 */
export function importTable(tally: Told): string {
  const rows = Object.entries(tally.counts).map(([kind, count]) => [kind, ...cellsOf(count)])
  const notes = [...tally.notes]
    .sort(([, one], [, other]) => other - one)
    .map(([what, count]) => [String(count), what])
  const { unread: files = [] } = tally
  const unread =
    files.length === 0 ? '' : `not read: ${files.join(', ')} (votes are imported as the posts’ scores)`
  const parts = [align([[...HEAD], ...rows], [1, 2, 3]), align(notes, [0]), unread]
  return parts.filter((part) => part !== '').join('\n\n')
}

function cellsOf({ read, imported, skipped }: Count): string[] {
  const reasons = [...skipped].map(([reason, count]) => `${count} ${reason}`)
  return [String(read), String(imported), String(read - imported), reasons.join(', ')]
}

/** @param numbers columns with numbers, which are aligned right */
function align(rows: readonly (readonly string[])[], numbers: readonly number[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
  return rows.map((row) => line(row).join('  ').trimEnd()).join('\n')
}
