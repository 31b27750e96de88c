/**
 * A page of docs that a test makes of what it found, and compares with the file. It is written anew by
 * `node --test --test-update-snapshots FILE`.
 */
export function tablePage(
  title: string,
  introduction: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const table = [head, head.map(() => '---'), ...rows].map(line)
  return `# ${title}\n\n${introduction}\n\n${table.join('\n')}\n`
}
