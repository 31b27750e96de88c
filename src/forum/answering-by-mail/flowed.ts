/** The headers of a mail and of its parts. */
const HEADERS = /(^(?:From [^\n]*\n)?|\n--[^\n]*\n)((?:[^\s:]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+)/g
const FLOWED = /(content-type:\s*text\/plain\b(?:[^\n]|\n[ \t])*?\bformat\s*=\s*"?)flowed/i
const DELETES_BLANKS = /\bdelsp\s*=\s*"?yes/i
const QUOTES = /^>*/

/** A mail whose lines are as they came, and what becomes of them. */
export interface Unread {
  readonly raw: Buffer
  /** Of text that came in flowed lines (RFC 3676) makes the lines that were written. */
  readonly unflowed: (text: string) => string
}

/** Keeps the parser from joining flowed lines: it joins what is written with what it quotes, and across empty lines. */
export function withoutFlow(raw: Uint8Array): Unread {
  let isFlowed = false
  let deletesBlanks = false
  const fixed = Buffer.from(raw)
    .toString('latin1')
    .replace(HEADERS, (_all, before: string, headers: string) => {
      const unflowed = headers.replace(FLOWED, '$1fixed')
      isFlowed ||= unflowed !== headers
      deletesBlanks ||= unflowed !== headers && DELETES_BLANKS.test(headers)
      return before + unflowed
    })
  return {
    raw: Buffer.from(fixed, 'latin1'),
    unflowed: (text) => (isFlowed ? joinedLines(text, deletesBlanks) : text),
  }
}

/** A line that ends with a blank goes on in the next one of the same depth; a signature's sign and an empty line end it. */
function joinedLines(text: string, deletesBlanks: boolean): string {
  const lines: string[] = []
  let open: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const [quotes = ''] = QUOTES.exec(line) ?? []
    const content = line.slice(quotes.length).replace(/^ /, '')
    const goesOn = open === quotes && content !== '' && content !== '-- '
    if (goesOn) lines[lines.length - 1] += content
    else lines.push(quotes === '' ? content : `${quotes} ${content}`)
    open = content.endsWith(' ') && content !== '-- ' ? quotes : null
    if (open !== null && deletesBlanks) lines[lines.length - 1] = lines.at(-1)?.slice(0, -1) ?? ''
  }
  return lines.join('\n')
}
