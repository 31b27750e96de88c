import { isoDay } from '../../text/dates.ts'
import type { PostViews } from './post-views.ts'
import type { StaffActs } from './show-view.ts'
import type { QuestionTree } from './tree.ts'

const DAY_MS = 24 * 3_600_000

/** null: the viewer may do none of it. */
export function staffActs(views: PostViews, tree: QuestionTree): StaffActs | null {
  if (!views.may('assign', tree)) return null
  const dayAfter = (days: number) => isoDay(new Date(Date.now() + days * DAY_MS), views.timeZone)
  return {
    path: `/questions/${tree.id}`,
    isOpen: views.isOpen,
    assigneeId: tree.assignee_id === null ? '' : String(tree.assignee_id),
    assignee: tree.assignee_name,
    isMine: tree.assignee_id !== null && views.isViewer(tree.assignee_id),
    isDuplicate: tree.duplicate_of !== null,
    isPinned: tree.is_pinned,
    tomorrow: dayAfter(1),
    inAWeek: dayAfter(7),
  }
}
