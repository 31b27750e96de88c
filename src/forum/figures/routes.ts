import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound, Problem } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { placeOf } from '../../kernel/rights/rights.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'
import { choiceParam, textParam } from '../../web/params.ts'
import { figuresPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { countFigures } from './figures.ts'
import { type FiguresPage, rangesOf, shownFigures } from './page.ts'
import { dayIn, readRange } from './periods.ts'
import { beginningsOf, faqOpenings } from './queries.ts'
import { FIGURES, figuresCsv } from './tables.ts'

export function registerFigures(app: FastifyInstance): void {
  app.get('/courses/:course/figures', async (request, reply) => {
    const course = await courseOf(request)
    const today = dayIn(new Date(), course.timeZone)
    const range = readRange(request.query, today)
    const language = languageOfRequest(request)
    const t = translatorOf(language)
    const shown =
      range.weeks === null
        ? null
        : await shownFigures(
            t,
            language,
            course,
            range.weeks,
            await countFigures(app.db, course, range.weeks),
          )
    const errors = range.errors.map(({ field, message }) => ({ field, text: t(message.key, message.values) }))
    return reply.page<FiguresPage>(
      'figures/show',
      {
        title: t('figures.title'),
        path: figuresPath(course.slug),
        form: { typed: range.typed, errors },
        ranges: rangesOf(t, course.slug, today, range.weeks, await beginningsOf(app.db, course)),
        shown,
        faq: await faqOpenings(app.db, course.id),
      },
      {
        status: shown === null ? 422 : 200,
        course: course.slug,
        bar: await barOf(request, course, 'figures'),
        isForStaff: true,
        robots: 'noindex',
      },
    )
  })

  app.get('/courses/:course/figures.csv', async (request, reply) => {
    const course = await courseOf(request)
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

  async function courseOf(request: FastifyRequest): Promise<Course> {
    const person = request.requirePerson()
    const course = await app.courses.findCourse(textParam(request, 'course'))
    if (course === null) throw notFound()
    requireRight(person, 'see-figures', placeOf(course))
    return course
  }
}
