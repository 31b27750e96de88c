/** Lines of plain text in columns, the first line the heads. What may be wide or in Hangul belongs in the last column. */
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
