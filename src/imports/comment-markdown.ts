/** A comment as Markdown. */
export function commentMarkdown(text: string): string {
  return text
}
