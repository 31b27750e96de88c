/** A row of a Markdown table. The text of cells is not escaped. */
export function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A Markdown table from its column heads and rows. */
export function table(head: readonly string[], rows: readonly string[]): string {
  return [row(...head), row(...head.map(() => '---')), ...rows].join('\n')
}
