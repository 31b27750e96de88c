import { type RawBuilder, sql } from 'kysely'
import { isThere } from '../../kernel/rights/visibility.ts'

export const DESK_VIEWS = [
  'waiting',
  'mine',
  'classmates',
  'asker',
  'snoozed',
  'closed',
  'private',
  'all',
] as const
export type DeskViewName = (typeof DESK_VIEWS)[number]

const isSnoozed = sql`(desk.snoozed_until is not null and desk.snoozed_until > now())`

/**
 * What a view of the desk holds, and the moment that it is sorted by: the longest first, of `private` and `all` the newest. Each reads
 * along an index of its own. `desk` is question_desk, `q` questions.
 */
export function deskView(name: DeskViewName, viewerId: number) {
  const views = {
    waiting: longest('desk.waiting_since', sql`desk.waiting_since is not null and not ${isSnoozed}`),
    mine: longest('desk.assigned_at', sql`desk.assignee_id = ${viewerId}`),
    classmates: longest('desk.classmates_since', sql`desk.classmates_since is not null and not ${isSnoozed}`),
    asker: longest('desk.asker_since', sql`desk.asker_since is not null and not ${isSnoozed}`),
    snoozed: longest('desk.snoozed_until', isSnoozed),
    closed: longest('desk.replied_since', sql`desk.replied_since is not null`),
    private: newest(sql`q.is_shown and q.audience = 'staff'`),
    all: newest(sql`q.deleted_at is null and ${isThere('q')}`),
  }
  return views[name]
}

export const isOfDesk = (name: DeskViewName) => name !== 'private' && name !== 'all'

function longest(column: string, condition: RawBuilder<unknown>) {
  return { column, isNewestFirst: false, condition }
}

function newest(condition: RawBuilder<unknown>) {
  return { column: 'q.written_at', isNewestFirst: true, condition }
}
