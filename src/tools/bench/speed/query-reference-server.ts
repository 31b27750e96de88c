import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import fastify from 'fastify'
import { readConfig } from '../../../config.ts'
import { connect } from '../../../database/connection.ts'
import { FIRST_PAGE } from '../../../database/keyset.ts'
import { listQuestions, SORTS } from '../../../forum/questions/list.ts'
import { NEWEST } from '../../../forum/questions/list-filter.ts'
import { questionRow } from '../../../forum/questions/row.ts'
import { questionPage } from '../../../forum/questions/show-page.ts'
import { findQuestionTree } from '../../../forum/questions/tree.ts'
import { translatorOf } from '../../../messages/catalogue.ts'
import { readableCourses } from '../../../rights/readable.ts'
import { registerAssets } from '../../../web/assets.ts'
import { registerHeaders } from '../../../web/headers.ts'
import { languageOfRequest } from '../../../web/language.ts'
import { idParam } from '../../../web/params.ts'
import { notFound } from '../../../web/problem.ts'
import { registerViews } from '../../../web/views.ts'
import { serveReference } from './child.ts'
import type { QueryReference } from './query-reference.ts'

/** Serves the forum's templates and queries with nothing around them. */
serveReference(async ({ databaseUrl, person }: QueryReference) => {
  const app = fastify({ logger: false, routerOptions: { maxParamLength: 1000 } })
  const db = connect(databaseUrl)
  const readable = await readableCourses(db, null)
  app.decorate('config', readConfig({ NODE_ENV: 'production' }))
  app.decorate('db', db)
  app.decorateRequest('person', { getter: () => person })
  app.decorateRequest('rendering', { getter: () => null })
  app.decorateReply('csrfToken', () => 'a token of the usual length, from a random salt and what it signs')
  registerHeaders(app, { baseUrl: app.config.baseUrl, hsts: null })
  await app.register(cookie, { secret: 'of no use' })
  await app.register(accepts)
  await registerViews(app, await registerAssets(app))
  app.get('/questions/:id/:slug', async (request, reply) => {
    const tree = await findQuestionTree(db, idParam(request, 'id'), person, 'votes')
    if (tree === undefined) throw notFound()
    return reply.page('questions/show', questionPage(request, tree, 'votes', null, []))
  })
  app.get('/*', async (request, reply) => {
    const t = translatorOf(languageOfRequest(request))
    const { rows: questions } = await listQuestions(db, null, NEWEST, FIRST_PAGE, readable)
    const rows = questions.map((question) =>
      app.part('/questions/_question-row', {
        t,
        question: questionRow(question, {
          t,
          viewer: null,
          timeZone: null,
          showCourse: true,
          own: () => '',
          now: new Date(),
        }),
      }),
    )
    const list = {
      rows: app.part('/questions/_rows', { t, rows, newerPath: null, olderPath: '/questions' }),
      tabs: [],
      sorts: SORTS.map((name) => ({
        text: t(`questions.sort.${name}`),
        path: '/questions',
        isCurrent: false,
      })),
      scope: 'all' as const,
      tag: null,
      emptyLivePath: null,
      allPath: '/questions',
      path: '/questions',
      kept: [],
    }
    const title = t('questions.index.title')
    return reply.page('questions/index', {
      title,
      course: null,
      aside: null,
      lecture: null,
      list,
      counts: {},
      welcome: null,
    })
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
})
