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

const FENCE = /^\s*(?:```|~~~)/

/** Whether a block of code that begins with a fence is open at the end of a text. */
export function isInFence(before: string): boolean {
  return before.split('\n').filter((line) => FENCE.test(line)).length % 2 === 1
}

/** Lines of code in the fences of a text, without empty ones. */
export function fencedLines(text: string): number {
  let [isInside, count] = [false, 0]
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isInside = !isInside
    else if (isInside && line.trim() !== '') count += 1
  }
  return count
}
