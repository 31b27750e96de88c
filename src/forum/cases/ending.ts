import type { Database } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { lockCase } from './locks.ts'
import { endMeasure } from './measures.ts'
import { endedByTime } from './suspend.ts'
import { tellOfCase } from './tell-staff.ts'

const ENDINGS = 'measure'

/** The jobs that end measures whose time is over. */
export function measureEndingKind(db: Database): Kind {
  return {
    name: ENDINGS,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () => enqueueDue(db, ENDINGS, endedByTime),
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
