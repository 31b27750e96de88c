import type { Database } from '../../database/schema.ts'
import { waitingCount } from '../../forum/courses/course-bar.ts'
import { countDesk, findDeskRow, listDesk, nextOnDesk, placeOnDesk } from '../../forum/desk/queries.ts'
import { findQuestionTree } from '../../forum/reading/tree.ts'
import { findNear } from '../../forum/search/similar/similar.ts'
import { earlierAnswered } from '../../forum/search/similar/similar-view.ts'
import type { Measure } from './measure.ts'

const FIRST = { after: null, before: null }
/** As many as the desk looks at, and shows. */
const NEAREST = 20
const CLOSE = 3

/** What a course's desk asks for, of one course after the other, and its open question, which is found anew each time. */
export function deskMeasures(
  db: Database,
  courses: readonly number[],
  questions: readonly number[],
): Measure[] {
  const filterOf = (number: number) => ({
    courseId: courses[number % courses.length] ?? 0,
    view: 'waiting' as const,
    lectureId: null,
    viewerId: 1,
  })
  return [
    {
      name: 'desk: queue, counts and place',
      kind: 'page',
      async run(number) {
        const filter = filterOf(number)
        const { rows } = await listDesk(db, filter, FIRST)
        const id = rows[number % Math.max(rows.length, 1)]?.id ?? 0
        await countDesk(db, filter)
        await placeOnDesk(db, filter, id)
        await nextOnDesk(db, filter)
        await findDeskRow(db, filter.courseId, id)
        await waitingCount(db, filter.courseId)
      },
    },
    {
      name: 'desk: open question, with what was answered before',
      kind: 'page',
      async run(number) {
        const id = questions[number % questions.length] ?? 0
        const tree = await findQuestionTree(db, id, null, 'votes')
        if (tree === undefined) return
        const to = { title: tree.title, body: tree.body, tags: [], courseId: tree.course_id, exceptId: id }
        await earlierAnswered(
          db,
          await findNear(db, { id: 1, isAdmin: true, roles: {} }, to, NEAREST),
          id,
          CLOSE,
        )
      },
    },
  ]
}
