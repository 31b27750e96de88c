import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { queryParam } from '../../web/params.ts'

/**
 * The zone of the times on a page of no course: the one its reader chose, else that of the course it was opened from, else
 * that of most courses, else the forum's.
 */
async function timeZoneFor(
  { db, config }: FastifyInstance,
  { person, query }: Pick<FastifyRequest, 'person' | 'query'>,
): Promise<string> {
  if (person?.timeZone) return person.timeZone
  const row = await db
    .selectFrom('courses')
    .select('time_zone')
    .groupBy('time_zone')
    .orderBy(sql`bool_or(slug = ${queryParam({ query }, 'course')}::text) desc nulls last`)
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('time_zone')
    .limit(1)
    .executeTakeFirst()
  return row?.time_zone ?? config.timeZone
}

export function registerTimeZone(app: FastifyInstance): void {
  app.decorate('timeZoneFor', (request: Pick<FastifyRequest, 'person' | 'query'>) =>
    timeZoneFor(app, request),
  )
}
