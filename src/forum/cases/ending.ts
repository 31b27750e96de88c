import type { Database } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { endedByTime } from './acts-on-people.ts'
import { lockCase } from './case-subject.ts'
import { MAX_PASSED_ON, passOnStrandedCases } from './claims.ts'
import { endMeasure } from './measures.ts'
import { tellOfCase } from './told.ts'

const ENDINGS = 'measure'

/** Interval of looking for cases without a handler: unlike what is due, they have no index of their own. */
const LOOK_EVERY_MS = 60_000

/** The jobs that end measures whose time is over. Their plan also passes on to the admins what waits in courses without a handler. */
export function measureEndingKind(db: Database): Kind {
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    name: ENDINGS,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: async () => {
      await enqueueDue(db, ENDINGS, endedByTime)
      if (performance.now() - lookedAt < LOOK_EVERY_MS) return
      if ((await passOnStrandedCases(db)) < MAX_PASSED_ON) lookedAt = performance.now()
    },
    run: async ([job]) => {
      const measureId = Number(job?.key)
      await db.transaction().execute(async (write) => {
        const measure = await write
          .selectFrom('measures')
          .select('case_id')
          .where('id', '=', measureId)
          .executeTakeFirst()
        if (measure === undefined || !(await lockCase(write, measure.case_id))) return
        const ended = await endMeasure(write, { measureId, how: 'over', actorId: null, note: '' })
        if (ended !== null && ended.personId !== null)
          await tellOfCase(write, ended.caseId, 'measure', [ended.personId])
      })
    },
  }
}
