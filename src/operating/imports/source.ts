import type { ExchangeWriter } from '../exchange/folder-writer.ts'
import type { ImportTally } from '../exchange/import-tally.ts'
import type { SourceFiles } from './source-files.ts'

/** What somebody decides who sees what a file doesn't say. */
export interface Choices {
  /** Who wrote anonymously, where the file has the name and doesn't say from whom it was kept: known to staff, or to no one. */
  readonly anonymous: 'keep' | 'drop'
  /** Topics of which the file doesn't say whether only a group read them: staff look first, or all members read them. */
  readonly groups: 'hold' | 'show'
}
/** Nobody sees what they may not have seen there. */
export const CAREFUL: Choices = { anonymous: 'drop', groups: 'hold' }

/** What a converter works with. */
export interface Conversion {
  readonly files: SourceFiles
  readonly writer: ExchangeWriter
  /** What is left out, by kind and reason; what comes is counted by the reader. */
  readonly tally: ImportTally
  /** Members that no schema has → how many there are. */
  readonly unknown: Map<string, number>
  /** What the course is called that is made if there is none. */
  readonly course: { readonly slug: string; readonly title: string }
  /** Which site and course it is of; null: as the files say. */
  readonly origin: string | null
  readonly choices: Choices
  /**
   * A picture of a text, as `files` of the export: asked for, its file comes along; otherwise it is a link.
   * @param url where it is
   * @returns its address in the text
   */
  picture(url: string): string
}

/** What a conversion tells beside the export. */
export interface Converted {
  /** What the files don't say and somebody may decide. */
  readonly asks?: readonly (keyof Choices)[]
  /** Files that the forum has no equivalent of. */
  readonly unread?: readonly string[]
  /** How many people the files have, and the ids of authors that are none of them any more. */
  readonly people?: { readonly users: number; readonly former: ReadonlySet<string> }
}

/** Another forum whose exports come in. */
export interface Source {
  /** As the command, addresses and keys have it. */
  readonly name: string
  /** Whether the files are of it: told by what is in them. */
  recognizes(files: SourceFiles): Promise<boolean>
  /** Bytes that a conversion reads, for its progress. */
  bytesOf(files: SourceFiles): number
  /**
   * Writes the export, `course.json` too.
   * @throws ExchangeError with file, line and reason
   */
  convert(conversion: Conversion): Promise<Converted>
}
