/** Bytes of a part at the least, where there are as many. */
const PART = 1024 * 1024
const LINE_END = 0x0a

/** Whole rows in the text format of COPY. */
export interface Part {
  readonly bytes: Buffer
  readonly rows: number
}

/**
 * Cuts what COPY writes into parts of about a MB that end with a row: line ends inside of values are escaped. A row larger
 * than a part stays whole.
 */
export async function* partsOf(copy: AsyncIterable<Buffer>, size = PART): AsyncGenerator<Part> {
  let chunks: Buffer[] = []
  let length = 0
  for await (const chunk of copy) {
    chunks.push(chunk)
    length += chunk.length
    const lastEnd = chunk.lastIndexOf(LINE_END)
    if (length < size || lastEnd === -1) continue
    const all = Buffer.concat(chunks)
    const end = length - chunk.length + lastEnd + 1
    yield { bytes: all.subarray(0, end), rows: rowsIn(all.subarray(0, end)) }
    chunks = [all.subarray(end)]
    length -= end
  }
  if (length === 0) return
  const rest = Buffer.concat(chunks)
  yield { bytes: rest, rows: rowsIn(rest) }
}

/** How many rows of COPY's text end in these bytes. */
export function rowsIn(bytes: Uint8Array): number {
  let rows = 0
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) rows += 1
  return rows
}
