import type { Write } from '../../database/schema.ts'
import type { DumpFolder } from './dump-folder.ts'
import type { Tally } from './tally.ts'

/** Reports the current step with its total, then each advance. */
export interface ImportProgress {
  begin(label: string, amount: number): void
  advance(amount: number): void
}

/** What every step of an import works with. All steps share one transaction. */
export interface CourseImport {
  readonly write: Write
  readonly dump: DumpFolder
  readonly tally: Tally
  readonly onProgress: ImportProgress | undefined
  readonly courseId: number
  /** The course's default category. */
  readonly categoryId: number
}
