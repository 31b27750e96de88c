import { type SourceFile, type SourceFiles, textOf } from './source-files.ts'
import { valuesAt } from './source-json.ts'

/** A record of a file, unchecked. */
interface JsonRecord {
  readonly value: unknown
  /** File and number, for what is refused. */
  readonly place: string
}

/** Without what archives of macOS have beside each file. */
export const jsonFilesOf = ({ all }: SourceFiles): SourceFile[] =>
  all.filter(({ name }) => /\.json$/i.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name))

/** Of files that are a list of records, or one. */
export async function* jsonRecords(files: SourceFiles): AsyncGenerator<JsonRecord> {
  for (const file of jsonFilesOf(files)) {
    const isList = (await beginningOf(file)).trimStart().startsWith('[')
    let count = 0
    for await (const value of valuesAt(file, isList ? '$.*' : '$')) {
      count += 1
      yield { value, place: isList ? `${file.name}, record ${count}` : file.name }
    }
  }
}

/** The names of the others. */
export const unreadBeside = ({ all }: SourceFiles, read: readonly SourceFile[]): string[] =>
  all.filter((file) => !read.includes(file)).map(({ name }) => name)

/** Of UTF-8 in one piece of a file. */
const BEGINNING = 16 * 1024
const PIECE = 64 * 1024

/** Bytes of two readings, each after a look at the beginning. */
export const bytesOfTwo = (files: readonly SourceFile[]): number =>
  files.reduce((bytes, { size }) => bytes + 2 * (size + Math.min(size, PIECE)), 0)

/** How a file begins, by which its kind is told. @returns empty: it is in another encoding */
export async function beginningOf(file: SourceFile): Promise<string> {
  let text = ''
  try {
    for await (const part of textOf(file)) {
      text += part
      if (text.length >= BEGINNING) break
    }
  } catch {
    return ''
  }
  return text.slice(0, BEGINNING)
}
