import { formatDay } from '../../text/dates.ts'
import type { PostViews } from './post-views.ts'
import type { QuestionTree } from './tree.ts'

/** What staff may do with a question in its menu More: views/desk/_more.eta. */
export interface StaffActs {
  /** Of the question; the acts are below it. */
  readonly path: string
  /** Unresolved and no duplicate: it can wait for somebody. */
  readonly isOpen: boolean
  /** An id or '', for the comparison. */
  readonly assigneeId: string
  /** The name of who has taken it; null: nobody. */
  readonly assignee: string | null
  readonly isMine: boolean
  readonly isDuplicate: boolean
  readonly isPinned: boolean
  /** Days as a date field has them. */
  readonly tomorrow: string
  readonly inAWeek: string
}

const DAY_MS = 24 * 3_600_000

/** null: the viewer may do none of it. */
export function staffActs(views: PostViews, tree: QuestionTree): StaffActs | null {
  if (!views.may('assign', tree)) return null
  const dayAfter = (days: number) =>
    formatDay(new Date(Date.now() + days * DAY_MS), views.timeZone).replaceAll('.', '-')
  return {
    path: `/questions/${tree.id}`,
    isOpen: tree.status === 'unresolved' && tree.duplicate_of === null,
    assigneeId: tree.assignee_id === null ? '' : String(tree.assignee_id),
    assignee: tree.assignee_name,
    isMine: tree.assignee_id !== null && views.isViewer(tree.assignee_id),
    isDuplicate: tree.duplicate_of !== null,
    isPinned: tree.is_pinned,
    tomorrow: dayAfter(1),
    inAWeek: dayAfter(7),
  }
}
