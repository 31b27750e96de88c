/** Lines that programs and their errors write, and people do not. */
const CODE_LINE =
  /^\s*(?:at [\w$.<>]+\(|Caused by:|Traceback \(|File ".+", line \d+|[\w.$]+(?:Exception|Error)\b)|[;{}]\s*$|^\s*(?:import|from|def|class|function|const|let|var|public|private|return|if|for|while)\b.*[({:;]\s*$|^\s{4,}\S|=>|^\s*<\/?[a-zA-Z][^>]*>\s*$/
/** Share of the lines that have to look so. */
const CODE_SHARE = 0.4

/** Whether a text of several lines looks like code or a stack trace; one with a fence is marked as such. */
export function looksLikeCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || text.includes('```')) return false
  return lines.filter((line) => CODE_LINE.test(line)).length >= lines.length * CODE_SHARE
}

/** Whether a block of code that begins with a fence is open at the end of a text. */
export function isInFence(before: string): boolean {
  return (before.match(/^\s*(?:```|~~~)/gm) ?? []).length % 2 === 1
}
