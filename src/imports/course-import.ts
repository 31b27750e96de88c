import type { Write } from '../database/schema.ts'
import type { DumpFolder } from './dump-folder.ts'
import type { Tally } from './tally.ts'

/** What every step of an import works with, all in one transaction. */
export interface CourseImport {
  readonly write: Write
  readonly dump: DumpFolder
  readonly tally: Tally
  readonly courseId: number
  /** The course's default category. */
  readonly categoryId: number
}
