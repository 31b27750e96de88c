import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { queryParam } from '../../web/params.ts'

/**
 * The zone of the times on a page of no course: the one its reader chose, else that of the course it was opened from, else
 * that of most courses, else the forum's.
 */
export async function readerTimeZone(request: FastifyRequest): Promise<string> {
  const { db, config } = request.server
  if (request.person?.timeZone) return request.person.timeZone
  const row = await db
    .selectFrom('courses')
    .select('time_zone')
    .groupBy('time_zone')
    .orderBy(sql`bool_or(slug = ${queryParam(request, 'course')}::text) desc nulls last`)
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('time_zone')
    .limit(1)
    .executeTakeFirst()
  return row?.time_zone ?? config.timeZone
}
