import type { Change } from '../changes/change.ts'
import type { Cursor } from '../database/keyset.ts'
import type { Tally } from '../metrics/tally.ts'
import type { QuestionFilter } from '../questions/list-filter.ts'
import type { Viewed } from '../questions/view-counter.ts'
import type { Reader } from './reader.ts'

/** A list on a page: what is in it, and between which places. */
export interface ShownList {
  readonly filter: Pick<QuestionFilter, 'courseId' | 'tagId' | 'lectureId' | 'authorId' | 'sort'>
  /** null: whatever the state. */
  readonly states: readonly number[] | null
  /** The page shows what is below this place; null: from the top. */
  readonly above: Cursor | null
  /** The page shows what is above this place; null: to the end. */
  readonly below: Cursor | null
}

/** What a page's text comes from, such as `question:12`: see concerns.ts for which change concerns which. */
export type Subject =
  | `question:${number}`
  | `course:${number}`
  | `figures:${number}`
  | `name:${number}`
  | `asked:${number}`
  | `profile:${number}`
  | `tag:${number}`
  | 'courses'
  | 'all-figures'
  | 'tags'

/** A part of a page that changes more often than all around it, and can be made again without it. */
export interface Part {
  /** As it stands in the page, once. */
  readonly html: string
  /** What it shows, beside what stands around it. */
  readonly shown: Shown
  /** The part after these changes, as they were heard; null: only the page as a whole tells how it looks now. */
  readonly again: (changes: readonly Change[]) => Promise<Part | null>
}

/** Collects, while a page is made, what it shows: what its being kept depends on. */
export class Shown {
  /** Whom the page is made for; null: visitors. */
  readonly reader: Reader | null
  readonly subjects = new Set<Subject>()
  readonly lists: ShownList[] = []
  /** The question whose view a showing counts as; null: none. */
  viewed: Viewed | null = null

  /** The question whose page it is, and who wrote something on it: to them, and to who voted or follows, it looks different. */
  thread: { readonly id: number; readonly writers: ReadonlySet<number> } | null = null

  /** Where answers with the page are counted; null: nobody measures. */
  tally: Tally | null = null

  /** What is not collected here, but by a part of the page for itself; null: there is none. */
  part: Part | null = null

  /** Milliseconds after which the page may be another without any change; 0: never. */
  freshFor = 0

  constructor(reader: Reader | null = null) {
    this.reader = reader
  }

  add(...subjects: readonly Subject[]): void {
    for (const subject of subjects) this.subjects.add(subject)
  }

  list(list: ShownList): void {
    this.lists.push(list)
  }

  /** What a page shows that has a part, where this is what stands around it. */
  with(part: Shown): Shown {
    const { viewed, thread, tally, freshFor } = this
    const whole = Object.assign(new Shown(this.reader), { viewed, thread, tally, freshFor })
    whole.add(...this.subjects, ...part.subjects)
    whole.lists.push(...this.lists, ...part.lists)
    return whole
  }
}
