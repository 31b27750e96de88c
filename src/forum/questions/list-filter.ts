export const SORTS = ['newest', 'active', 'votes', 'views'] as const
export type Sort = (typeof SORTS)[number]
export const STATUS_FILTERS = ['unresolved', 'resolved', 'unanswered'] as const
export type StatusFilter = (typeof STATUS_FILTERS)[number]

/** A reader, and the questions that something unseen was told of, which are unread whenever they were last active. */
export interface UnreadTo {
  readonly personId: number
  readonly told: readonly number[]
}

/** Whole days in a time zone, as `2026-09-07`; both belong to it. */
export interface WrittenDays {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** Which questions, in which order. `null` means all. */
export interface QuestionFilter {
  readonly courseId: number | null
  readonly status: StatusFilter | null
  readonly tagId: number | null
  readonly lectureId: number | null
  readonly authorId: number | null
  /** Of their own: private and anonymous ones too, which no list of somebody else has. */
  readonly isOwn: boolean
  /** Who follows them; null: whether anybody does is not asked. */
  readonly followerId: number | null
  /** To whom they are unread; null: whether they are is not asked. */
  readonly unread: UnreadTo | null
  readonly written: WrittenDays | null
  readonly sort: Sort
}

/** All questions, the newest first: what other lists narrow. */
export const NEWEST: QuestionFilter = {
  courseId: null,
  status: null,
  tagId: null,
  lectureId: null,
  authorId: null,
  isOwn: false,
  followerId: null,
  unread: null,
  written: null,
  sort: 'newest',
}

/**
 * What a sort goes by: the column, and how its cursors are written. All questions and each course have an index for each. By votes
 * and views a lecture and a tag have none, and an author has one in all: what they hold is read and sorted.
 */
export const SORT_COLUMNS = {
  newest: { column: 'q.written_at', kind: 'time' },
  active: { column: 'q.active_at', kind: 'time' },
  votes: { column: 'q.votes_count', kind: 'count' },
  views: { column: 'q.views_count', kind: 'count' },
} as const
