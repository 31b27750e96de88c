import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { queryParam } from '../../web/params.ts'

/**
 * Finds the zone of the times on a page of no course: the one its reader chose, else that of the course it was opened from, else
 * that of most courses, else the forum's.
 */
export function registerTimeZone(app: FastifyInstance): void {
  const { db, config } = app
  app.decorate('timeZoneFor', async ({ person, query }: Pick<FastifyRequest, 'person' | 'query'>) => {
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
  })
}
