/** A line of a Markdown table. What stands in a cell is not escaped. */
export function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A Markdown table: what its columns are called, and its lines. */
export function table(head: readonly string[], rows: readonly string[]): string {
  return [row(...head), row(...head.map(() => '---')), ...rows].join('\n')
}
