import { z } from 'zod'
import { API, InvalidParameter, oneOf, reading } from '../../web/json/endpoint.ts'
import { day, resource } from '../../web/json/resource.ts'
import { courseFor } from '../courses/find-course.ts'
import { countFigures } from './figures.ts'
import { dayIn, readRange, UNITS } from './periods.ts'
import { FIGURES, tableOf } from './tables.ts'

/** null: none. `few`: behaviour of fewer than five people, so that nothing is said; counts are always numbers. */
const cell = z.union([z.number(), z.literal('few'), z.string(), z.null()])
const table = z.object({
  name: z.enum(FIGURES),
  columns: z.array(z.object({ name: z.string(), kind: z.string() })),
  rows: z.array(z.array(cell)),
})
const analyticsSchema = resource('Analytics', {
  from: day,
  to: day,
  period: z.enum(UNITS),
  tables: z.array(table),
})

const rangeQuery = z.object({ from: z.string().max(20).optional(), to: z.string().max(20).optional() })

export const figuresEndpoint = reading(
  '/courses/:course/analytics',
  oneOf(analyticsSchema),
  { name: 'readAnalytics', tag: 'desk', scope: 'staff', query: rangeQuery },
  async ({ request, query }) => {
    const course = await courseFor(request, 'see-figures')
    const { weeks, errors } = readRange(query, dayIn(new Date(), course.timeZone))
    if (weeks === null) throw new InvalidParameter(errors[0]?.field ?? 'from')
    const figures = await countFigures(request.server.db, course, weeks)
    const tables = FIGURES.map((name) => {
      const { columns, rows } = tableOf(name, figures)
      return { name, columns: columns.map((column) => ({ ...column })), rows: rows.map((row) => [...row]) }
    })
    const self = `${API}/courses/${encodeURIComponent(course.slug)}/analytics`
    return { ...weeks, period: figures.unit, tables, links: { self } }
  },
)
