import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Actor } from '../../kernel/rights/rights.ts'
import { aBigForum } from '../../testing/big-forum.ts'
import { explained } from '../../testing/plans.ts'
import { eventCursor, readEventLog } from './cursor.ts'
import { eventsAfter } from './event.ts'
import { numberEvents } from './numbering.ts'
import { updatedPosts } from './updated.ts'

/** As many as one page looks at. */
const MOST = 1001

test('a page of events, and of what was updated, reads no more than it looks at, however many there are', async (t) => {
  const { db, url } = await aBigForum(t)
  await sql`
    insert into events (type, course_id, audience, question_id, answer_id)
    select 'answer.created', q.course_id, q.audience, q.id, answer.id
    from questions as q join answers as answer on answer.question_id = q.id
    order by answer.id limit 30000`.execute(db)
  await numberEvents(db)
  await sql`analyze events`.execute(db)
  const log = await readEventLog(db)
  assert.ok(log.numberedTo > 5000)
  const { rows } = await sql<{ courseId: number; questionId: number }>`
    select course_id as "courseId", min(question_id) as "questionId" from events
    group by 1 order by count(*) desc limit 1`.execute(db)
  const { courseId, questionId } = rows[0] ?? assert.fail('no events')
  const staff: Actor = { id: 1, isAdmin: false, roles: { [courseId]: 'assistant' } }
  const plans = await explained(url, async (recorded) => {
    for (const viewer of [null, staff])
      for (const course of [null, courseId])
        for (const after of [0, Math.floor(log.numberedTo / 2)])
          await eventsAfter(recorded, viewer, log, { after, courseId: course, limit: 100 })
    const request = { server: { db: recorded }, person: staff } as unknown as FastifyRequest
    const since = { updated_after: eventCursor(log, 1), limit: 20 }
    const replies = { repliesTo: questionId, answer: null }
    for (const list of [{ questionsOf: courseId }, { answersOf: questionId }, replies])
      await updatedPosts(request, list, since, async () => [])
  })
  assert.ok(plans.length > 15)
  for (const { text, steps } of plans)
    for (const step of steps)
      if (step.relation.startsWith('events') || step.rowsThere > MOST)
        assert.ok(step.kind !== 'Seq Scan' && step.rowsRead <= MOST, `${JSON.stringify(step)}: ${text}`)
})
