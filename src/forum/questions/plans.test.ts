import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { PageRequest } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { aBigForum, BIG_FORUM_QUESTIONS } from '../../testing/big-forum.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { cursorOf, listQuestions, PAGE_SIZE } from '../reading/list.ts'
import { NEWEST, type QuestionFilter, SORTS, type Sort, STATUS_FILTERS } from '../reading/list-filter.ts'
import { findQuestionTree } from '../reading/tree.ts'

/**
 * A page and the row that tells whether there is more, of each of the four states; and what may be read whole as it is
 * little, such as the questions of a tag that is rare in a course. Each scope of the test has several times as much.
 */
const MAX_ROWS = 4 * (PAGE_SIZE + 1) + 100

suite('plans of lists', () => {
  test('every list reads and sorts no more than its page, whatever its filter, sort and direction', async (t) => {
    const { db, url } = await aBigForum(t)
    const scopes = await scopesOf(db)
    for (const [name, scope] of Object.entries(scopes)) {
      for (const sort of SORTS) {
        const plans = await explained(url, async (recorded) => {
          for (const status of [null, ...STATUS_FILTERS])
            await walkPages(recorded, { ...NEWEST, ...scope, status, sort })
        })
        const most = isReadWhole(scope, sort) ? BIG_FORUM_QUESTIONS / 3 : MAX_ROWS
        assert.deepEqual(
          plans.flatMap((plan) => complaints(plan, most)),
          [],
          `${name}, ${sort}`,
        )
      }
    }
    const tree = await explained(url, (recorded) =>
      findQuestionTree(recorded, BIG_FORUM_QUESTIONS / 2, null, 'votes'),
    )
    assert.deepEqual(
      tree.flatMap((plan) => complaints(plan, 500)),
      [],
    )
  })
})

/** A lecture's questions, and those of a tag, are in no order of votes or views: they are read and sorted. */
function isReadWhole({ lectureId, tagId }: Partial<QuestionFilter>, sort: Sort): boolean {
  return (sort === 'votes' || sort === 'views') && (lectureId !== undefined || tagId !== undefined)
}

/** The first page, the one after it, and back. */
async function walkPages(db: Database, filter: QuestionFilter): Promise<void> {
  const at = (request: Partial<PageRequest>) =>
    listQuestions(db, null, filter, { after: null, before: null, ...request })
  const last = (await at({})).rows.at(-1)
  if (last === undefined) return
  const after = cursorOf(last, filter.sort)
  const next = (await at({ after })).rows[0]
  if (next !== undefined) await at({ before: cursorOf(next, filter.sort) })
}

/** Each scope that a list can have, with very many questions in it; a tag also with few, and an author with no more than one can ask. */
async function scopesOf(db: Database): Promise<Record<string, Partial<QuestionFilter>>> {
  const { rows } = await sql<Record<'course' | 'lecture' | 'author' | 'common' | 'rare', number>>`
    select
      (select id from courses order by questions_count desc, id limit 1) as course,
      (select id from lectures order by questions_count desc, id limit 1) as lecture,
      (select id from people order by questions_count desc, id limit 1) as author,
      (select tag_id from course_tags order by questions_count desc, tag_id limit 1) as common,
      (select tag_id from course_tags where questions_count > 0 order by questions_count, tag_id limit 1) as rare`.execute(
    db,
  )
  const { course, lecture, author, common, rare } = rows[0] ?? assert.fail('an empty forum')
  await sql`update questions set author_id = ${author} where id % 50 = 0`.execute(db)
  await sql`update questions set lecture_id = ${lecture} where id % 3 = 1 and course_id = ${course}`.execute(
    db,
  )
  await sql`insert into question_follows (question_id, person_id) select id, ${author} from questions
    where id % 50 = 0 on conflict do nothing`.execute(db)
  await sql`insert into course_reads (course_id, person_id, read_up_to)
    select id, ${author}, (select active_at from questions order by active_at desc offset 40 limit 1) from courses`.execute(
    db,
  )
  await sql`insert into question_reads (question_id, person_id, read_at) select id, ${author}, now() from questions where id % 2 = 0
    order by active_at desc limit 300`.execute(db)
  await sql`analyze questions, question_follows, course_reads, question_reads`.execute(db)
  return {
    all: {},
    'a course': { courseId: course },
    'a lecture': { courseId: course, lectureId: lecture },
    'an author': { authorId: author },
    'a common tag': { tagId: common },
    'a rare tag': { tagId: rare },
    'a common tag of a course': { tagId: common, courseId: course },
    'a rare tag of a course': { tagId: rare, courseId: course },
    'what somebody follows': { followerId: author },
    'what somebody has not read': { unread: { personId: author, told: [1, 2] } },
    'what somebody has not read in a course': {
      unread: { personId: author, told: [1, 2] },
      courseId: course,
    },
    'what somebody follows in a course': { followerId: author, courseId: course },
  }
}
