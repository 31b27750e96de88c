import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { Problem } from '../../kernel/problem.ts'
import { setAudience } from '../../testing/audience.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { deleteQuestion, restoreQuestion } from '../../testing/posts.ts'
import { holds } from '../../testing/properties.ts'
import { within } from '../../testing/within.ts'
import { setDuplicate } from './duplicates.ts'

const QUESTIONS = 5
const ACTS = ['link', 'link', 'link', 'unlink', 'delete', 'restore', 'hide', 'open'] as const

const acts = fc.record({
  kind: fc.constantFrom(...ACTS),
  one: fc.nat(QUESTIONS - 1),
  other: fc.nat(QUESTIONS - 1),
})

test('links, deletions and withdrawals at the same time leave no chain, no circle and none to what is not there', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const staff = await aMember(db, course, 'assistant')
  const property = fc.asyncProperty(fc.array(acts, { minLength: 30, maxLength: 60 }), async (all) => {
    const ids: number[] = []
    for (let made = 0; made < QUESTIONS; made += 1) ids.push((await aQuestion(db, { course })).id)
    const idOf = (index: number) => ids[index] ?? assert.fail()
    await Promise.all(
      all.map(async ({ kind, one, other }) => {
        const [questionId, otherId] = [idOf(one), idOf(other)]
        try {
          if (kind === 'link' || kind === 'unlink') {
            const originalId = kind === 'link' ? otherId : null
            await within(db, setDuplicate, { questionId, originalId, actorId: staff.id })
          } else if (kind === 'delete') await within(db, deleteQuestion, questionId)
          else if (kind === 'restore') await within(db, restoreQuestion, questionId)
          else await setAudience(db, questionId, kind === 'hide' ? 'staff' : 'course')
        } catch (error) {
          // What is deleted meanwhile refuses.
          if (!(error instanceof Problem)) throw error
        }
      }),
    )
    const { rows } = await sql<{ id: number }>`
      select duplicate.id from questions as duplicate join questions as original on original.id = duplicate.duplicate_of
      where original.duplicate_of is not null or not original.is_listed`.execute(db)
    assert.deepEqual(rows, [])
    assert.deepEqual(await recount(db), [])
  })
  await holds(property, 12)
})
