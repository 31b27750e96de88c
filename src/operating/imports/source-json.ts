import JSONParser from '@streamparser/json/jsonparser.js'
import type { z } from 'zod'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { fitting, noteUnknown } from '../exchange/folder-reader.ts'
import { type SourceFile, textOf } from './source-files.ts'

/** Characters of one record, beyond which it is refused. */
const MAX_RECORD = 64 * 1024 * 1024

/**
 * The records of a JSON file one by one, however many there are. Members that the schema doesn't have are left out, and counted.
 * @param path of the records: `$.*` of a list, `$.topics.*` of a list in an object
 * @throws ExchangeError with file, line or number of the record, and reason
 */
export async function* recordsOf<Shape extends z.ZodRawShape>(
  file: SourceFile,
  path: '$.*' | `$.${string}.*`,
  schema: z.ZodObject<Shape>,
  unknown: Map<string, number>,
): AsyncGenerator<z.output<z.ZodObject<Shape>>> {
  let number = 0
  for await (const value of valuesAt(file, path)) {
    number += 1
    const record = fitting(schema, value, `${file.name}, record ${number}`)
    if (typeof value === 'object' && value !== null) noteUnknown(unknown, file.name, value, schema.shape)
    yield record
  }
}

/** What is at a path of a JSON file, unchecked. */
export async function* valuesAt(file: SourceFile, path: string): AsyncGenerator<unknown> {
  // Of an object with several lists each record ends a record, so that none but the longest counts.
  const list = /^\$\.(\w+)\.\*$/.exec(path)?.[1]
  const parser = new JSONParser({ paths: [list === undefined ? path : '$.*.*'], keepStack: false })
  let found: unknown[] = []
  let line = 1
  let characters = 0
  parser.onValue = ({ value, stack }) => {
    if (list === undefined || stack.at(-1)?.key === list) found.push(value)
    characters = 0
  }
  const refuse = (error: unknown) =>
    new ExchangeError(`${file.name}, line ${line}: it is not JSON, or it is cut off`, { cause: error })
  for await (const text of textOf(file)) {
    // Line by line, so that an error has its place.
    for (const part of text.split(/(?<=\n)/)) {
      characters += part.length
      if (characters > MAX_RECORD)
        throw new ExchangeError(`${file.name}, line ${line}: a record is longer than 64 MB`)
      try {
        parser.write(part)
      } catch (error) {
        throw refuse(error)
      }
      if (part.endsWith('\n')) line += 1
      yield* found
      found = []
    }
  }
  if (!parser.isEnded) throw refuse(null)
}
