/**
 * Plain text in aligned columns; the first row is the header. Put text that may be wide, or in Hangul, in the last
 * column.
 */
export function textTable(lines: readonly (readonly string[])[]): string {
  const columns = lines[0]?.length ?? 0
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
