import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aBigForum } from '../../testing/big-forum.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { waitingCount } from '../courses/course-bar.ts'
import { DESK_PAGE_SIZE, type DeskFilter, listDesk, nextOnDesk } from './queries.ts'
import { DESK_VIEWS } from './views.ts'

const FIRST = { after: null, before: null }

suite('plans of the desk', () => {
  test('every view reads and sorts no more than its page, of a course and of a lecture', async (t) => {
    const { db, url } = await aBigForum(t)
    const { course, lecture, person } = await somebody(db)
    const plans = await explained(url, async (recorded) => {
      for (const view of DESK_VIEWS) {
        for (const lectureId of [null, lecture]) {
          const filter: DeskFilter = { courseId: course, view, lectureId, viewerId: person }
          const last = (await listDesk(recorded, filter, FIRST)).rows.at(-1)
          if (last === undefined) continue
          const cursor = { value: new Date(last.at).getTime(), id: last.id }
          await listDesk(recorded, filter, { after: cursor, before: null })
          await listDesk(recorded, filter, { after: null, before: cursor })
        }
      }
      await nextOnDesk(recorded, { courseId: course, lectureId: null, viewerId: person })
    })
    assert.ok(plans.length > 12)
    const tooMuch = plans.flatMap((plan) => complaints(plan, 4 * DESK_PAGE_SIZE))
    assert.deepEqual(tooMuch, [])
    assert.ok((await waitingCount(db, course)) > 100)
  })
})

/** The course and the lecture with most questions, and somebody who has taken some. */
async function somebody(db: Database) {
  const { rows } = await sql<{ course: number; lecture: number; person: number }>`
    select (select id from courses order by questions_count desc, id limit 1) as course,
      (select id from lectures order by questions_count desc, id limit 1) as lecture,
      (select min(id) from people) as person`.execute(db)
  const found = rows[0] ?? assert.fail('an empty forum')
  // Many more than a page: of few rows the planner may as well sort all.
  await sql`update questions set lecture_id = ${found.lecture} where id % 5 > 0 and course_id = ${found.course}`.execute(
    db,
  )
  await sql`
    update question_desk set assignee_id = ${found.person}, assigned_by = ${found.person}, assigned_at = now(),
      snoozed_until = case when question_id % 4 = 0 then now() + interval '1 day' end
    where question_id % 2 = 0 and course_id = ${found.course}`.execute(db)
  await sql`analyze questions, question_desk`.execute(db)
  return found
}
