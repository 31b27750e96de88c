import type { Subject } from './subjects.ts'

/** A question, and what is true of it: staff see that only when they open it. Times are milliseconds. */
export interface Thread {
  readonly id: number
  readonly subject: Subject
  readonly askerId: number
  readonly askedAt: number
  /** The first question about the same; null: this one is. */
  readonly original: Thread | null
  /** It cannot be answered before its asker says more. */
  isVague: boolean
  /** The first answer by anybody, or the link to the question that it repeats. */
  helpedAt: number | null
  /** The first time that staff opened it. */
  openedAt: number | null
  staffAt: number | null
  isResolved: boolean
  /** What classmates answered: whether it is right, by the answer's id. */
  readonly classmates: Map<number, boolean>
}

export function threadOf(
  fields: Pick<Thread, 'id' | 'subject' | 'askerId' | 'askedAt' | 'original' | 'isVague'>,
): Thread {
  return {
    ...fields,
    ...{ helpedAt: null, openedAt: null, staffAt: null, isResolved: false },
    classmates: new Map(),
  }
}
