/** Minimum size of a part in bytes, except for the last one. */
const MIN_PART_BYTES = 1024 * 1024
const LINE_END = 0x0a

/** Whole rows in the text format of COPY. */
export interface Part {
  readonly bytes: Buffer
  readonly rows: number
}

/**
 * Splits the output of COPY into parts of about 1 MB that end with a row: line breaks inside values are escaped. A row
 * larger than a part is not split.
 */
export async function* partsOf(copy: AsyncIterable<Buffer>, size = MIN_PART_BYTES): AsyncGenerator<Part> {
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

/** The number of rows of COPY's text that end in these bytes. */
export function rowsIn(bytes: Uint8Array): number {
  let rows = 0
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) rows += 1
  return rows
}
