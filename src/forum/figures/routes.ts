import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'
import { choiceParam } from '../../web/params.ts'
import { figuresPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import { countFigures } from './figures.ts'
import { rangesOf, shownFigures } from './page.ts'
import { dayIn, readRange } from './periods.ts'
import { beginningsOf, faqOpenings } from './queries.ts'
import { FIGURES, figuresCsv } from './tables.ts'

export function registerFigures(app: FastifyInstance): void {
  app.get('/courses/:course/figures', async (request, reply) => {
    const course = await courseFor(request, 'see-figures')
    const today = dayIn(new Date(), course.timeZone)
    const range = readRange(request.query, today)
    const language = languageOfRequest(request)
    const t = translatorOf(language)
    const { weeks } = range
    const figures = weeks === null ? null : await countFigures(app.db, course, weeks)
    const errors = range.errors.map(({ field, message }) => ({ field, text: t(message.key, message.values) }))
    const page = {
      title: t('figures.title'),
      path: figuresPath(course.slug),
      form: { typed: range.typed, errors },
      ranges: rangesOf(t, course.slug, today, weeks, await beginningsOf(app.db, course)),
      // null: the range that was asked for is none.
      shown:
        weeks === null || figures === null ? null : await shownFigures(t, language, course, weeks, figures),
      // Whatever the range.
      faq: await faqOpenings(app.db, course.id),
    }
    return reply.page<typeof page>('figures/show', page, {
      status: weeks === null ? 422 : 200,
      course: course.slug,
      bar: await barOf(request, course, 'figures'),
      isForStaff: true,
      robots: 'noindex',
    })
  })

  app.get('/courses/:course/figures.csv', async (request, reply) => {
    const course = await courseFor(request, 'see-figures')
    const { weeks } = readRange(request.query, dayIn(new Date(), course.timeZone))
    if (weeks === null) throw new Problem('invalid')
    const figure = choiceParam(request, 'figure', FIGURES, null)
    const name = `${course.slug}-${figure ?? 'figures'}-${weeks.from}-${weeks.to}.csv`
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
      .header('cache-control', 'private, no-store')
      .send(figuresCsv(await countFigures(app.db, course, weeks), figure))
  })
}
