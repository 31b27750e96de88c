import { type SourceFile, type SourceFiles, textOf } from './source-files.ts'

/** Without what archives of macOS have beside each file. */
export const jsonFilesOf = ({ all }: SourceFiles): SourceFile[] =>
  all.filter(({ name }) => /\.json$/i.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name))

const BEGINNING = 64 * 1024

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
