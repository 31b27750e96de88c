/** A counter that differs from what it counts, or a moment that is kept and differs from what it follows from. */
export interface Difference {
  /** Table and column, e.g. `questions.answers_count`. */
  readonly counter: string
  /** Id of the row; for course_tags of the tag, for course_authors of the person. */
  readonly id: number
  /** The course of a tag's or a person's counts; null for other tables. */
  readonly courseId: number | null
  /** Moments in milliseconds since 1970; 0: none. */
  readonly stored: number
  readonly counted: number
}

/** Maximum differences reported per table: after a bulk load every row may differ. All of them are fixed. */
export const MAX_REPORTED = 1000
