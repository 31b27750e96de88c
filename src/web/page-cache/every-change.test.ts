import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { announce } from '../../forum/announcements/commands.ts'
import { addMember, setLectures } from '../../forum/courses/commands.ts'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { withoutAges, withoutRequestId, withoutTokens } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'

/** A small forum with something of everything, and who writes in it. */
async function aForum(db: Database, app: FastifyInstance) {
  const course = await aCourse(db, { slug: 'rest', title: 'REST', lectures: ['Verbs', 'Status codes'] })
  const other = await aCourse(db, { slug: 'git', title: 'Git' })
  const [asker, helper, staff] = [
    await aPerson(db, { displayName: 'Mina' }),
    await aPerson(db, { displayName: 'Jun' }),
    await aPerson(db, { displayName: 'Kim' }),
  ]
  await db.transaction().execute((write) => addMember(write, course.id, staff.id, 'instructor'))
  const question = await aQuestion(db, {
    course,
    author: asker,
    title: 'Which status code says that a resource was created?',
    tags: ['http', 'status'],
    lectureId: course.lectureIds[1] ?? 0,
    views: 3,
  })
  const answer = await anAnswer(db, { question, author: helper })
  const reply = await aReply(db, { answer, author: asker })
  const second = await aQuestion(db, {
    course,
    author: helper,
    title: 'What does 201 mean for a resource?',
    tags: ['http'],
  })
  const foreign = await aQuestion(db, { course: other, title: 'How do I undo a commit?', tags: ['git'] })
  return {
    db,
    app,
    course,
    asker,
    staff,
    question,
    answer,
    reply,
    second,
    foreign,
    bystander: await aPerson(db),
    announcementId: await db.transaction().execute((write) =>
      announce(write, {
        courseId: course.id,
        authorId: staff.id,
        title: 'The room',
        body: 'Is another one.',
        correctsId: null,
      }),
    ),
    as: {
      asker: await signedIn(app, asker),
      helper: await signedIn(app, helper),
      staff: await signedIn(app, staff),
      admin: await signedIn(app, await aPerson(db, { isAdmin: true })),
    },
  }
}

type Forum = Awaited<ReturnType<typeof aForum>>

const daysAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const body = { body: 'Another text, which nobody has read yet.' }

const COURSE = {
  title: 'Another title',
  field: '',
  description: '',
  language: 'en',
  time_zone: 'UTC',
  visibility: 'public',
  asking: 'everybody',
  accent: 'blue',
}

async function onCategory({ db, as, course, question }: Forum, act: string, fields: object): Promise<void> {
  const { id } = await db
    .insertInto('categories')
    .values({ course_id: course.id, slug: 'projects', name: 'Projects' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.updateTable('questions').set({ category_id: id }).where('id', '=', question.id).execute()
  await post(as.staff, `/courses/rest/categories/${id}${act}`, fields)
}

/** Every kind of write there is: by its form's route, or by the name of what a command or a process does. */
const WRITES: Record<string, (forum: Forum) => Promise<unknown>> = {
  '/questions': ({ as, course }) =>
    post(as.asker, '/questions', {
      course: course.slug,
      title: 'A new question of the created',
      tags: 'http, new',
      ...body,
    }),
  '/questions/:id/answers': ({ as, second }) => post(as.staff, `/questions/${second.id}/answers`, body),
  '/questions/:id/replies': ({ as, question }) => post(as.helper, `/questions/${question.id}/replies`, body),
  '/answers/:id/replies': ({ as, answer }) => post(as.asker, `/answers/${answer.id}/replies`, body),
  '/questions/:id/edit': ({ as, question, course }) =>
    post(
      as.asker,
      `/questions/${question.id}/edit`,
      { course: course.slug, title: 'An edited title', tags: 'status, edited', version: 1, ...body },
      `/questions/${question.id}/edit`,
    ),
  '/answers/:id/edit': ({ as, answer }) =>
    post(as.helper, `/answers/${answer.id}/edit`, { version: 1, ...body }, `/answers/${answer.id}/edit`),
  '/replies/:id/edit': ({ as, reply }) =>
    post(as.asker, `/replies/${reply.id}/edit`, { version: 1, ...body }, `/replies/${reply.id}/edit`),
  '/questions/:id/votes': ({ as, question }) =>
    post(as.helper, `/questions/${question.id}/votes`, { value: 1 }),
  '/answers/:id/votes': ({ as, answer }) => post(as.asker, `/answers/${answer.id}/votes`, { value: 1 }),
  '/answers/:id/acceptance': ({ as, answer }) =>
    post(as.asker, `/answers/${answer.id}/acceptance`, { value: 1 }),
  '/questions/:id/assignment': ({ as, question }) =>
    post(as.staff, `/questions/${question.id}/assignment`, { assignee: 'me' }),
  '/questions/:id/duplicate': ({ as, question, second }) =>
    post(as.staff, `/questions/${second.id}/duplicate`, { of: question.id }),
  '/questions/:id/pin': ({ as, question }) => post(as.staff, `/questions/${question.id}/pin`),
  '/questions/:id/snooze': ({ as, question }) =>
    post(as.staff, `/questions/${question.id}/snooze`, { until: daysAhead(2) }),
  '/questions/:id/desk': ({ as, second }) =>
    post(as.staff, `/questions/${second.id}/desk`, { act: 'resolve', ...body }),
  '/answers/:id/endorsement': ({ as, answer }) =>
    post(as.staff, `/answers/${answer.id}/endorsement`, { value: 1 }),
  '/questions/:id/resolution': ({ as, question }) =>
    post(as.asker, `/questions/${question.id}/resolution`, { status: 'resolved' }),
  '/questions/:id/audience': ({ as, question }) =>
    post(as.asker, `/questions/${question.id}/audience`, { audience: 'staff' }),
  '/questions/:id/following': ({ as, question }) =>
    post(as.helper, `/questions/${question.id}/following`, { value: 1 }),
  '/courses/:course/following': ({ as, course }) =>
    post(as.helper, `/courses/${course.slug}/following`, { value: 1 }),
  '/courses/:course/lectures/:position/following': ({ as, course }) =>
    post(as.helper, `/courses/${course.slug}/lectures/2/following`, { value: 1 }),
  '/tags/:tag/following': ({ as }) => post(as.helper, '/tags/http/following', { value: 1 }),
  '/questions/:id/reading': ({ as, question }) => post(as.helper, `/questions/${question.id}/reading`),
  '/notifications/:id/opening': async ({ as, db, asker }) => {
    const told = db.selectFrom('notifications').select('id').where('person_id', '=', asker.id)
    const { id } = await told.executeTakeFirstOrThrow()
    await post(as.asker, `/notifications/${id}/opening`)
  },
  '/notifications/seen': ({ as }) => post(as.asker, '/notifications/seen'),
  '/following': ({ as }) => post(as.helper, '/following', { value: 0 }),
  '/replies/:id/delete': ({ as, reply }) => post(as.asker, `/replies/${reply.id}/delete`),
  '/answers/:id/delete': ({ as, answer }) => post(as.helper, `/answers/${answer.id}/delete`),
  '/questions/:id/delete': ({ as, question }) => post(as.asker, `/questions/${question.id}/delete`),
  '/replies/:id/restoration': async ({ as, reply }) => {
    await post(as.asker, `/replies/${reply.id}/delete`)
    await post(as.asker, `/replies/${reply.id}/restoration`)
  },
  '/answers/:id/restoration': async ({ as, answer }) => {
    await post(as.helper, `/answers/${answer.id}/delete`)
    await post(as.helper, `/answers/${answer.id}/restoration`)
  },
  '/questions/:id/restoration': async ({ as, question }) => {
    await post(as.asker, `/questions/${question.id}/delete`)
    await post(as.asker, `/questions/${question.id}/restoration`)
  },
  '/replies/:id/history/:version/restoration': async ({ as, reply }) => {
    await post(as.staff, `/replies/${reply.id}/edit`, { version: 1, ...body }, `/replies/${reply.id}/edit`)
    await post(as.staff, `/replies/${reply.id}/history/1/restoration`)
  },
  '/answers/:id/history/:version/restoration': async ({ as, answer }) => {
    await post(as.staff, `/answers/${answer.id}/edit`, { version: 1, ...body }, `/answers/${answer.id}/edit`)
    await post(as.staff, `/answers/${answer.id}/history/1/restoration`)
  },
  '/questions/:id/history/:version/restoration': async ({ as, question }) => {
    const fields = { title: 'An edited title', tags: 'edited', version: 1, ...body }
    await post(as.staff, `/questions/${question.id}/edit`, fields, `/questions/${question.id}/edit`)
    await post(as.staff, `/questions/${question.id}/history/1/restoration`)
  },
  '/courses/:course/leaving': ({ as, course }) => post(as.asker, `/courses/${course.slug}/leaving`),
  '/courses/new': ({ as }) => post(as.admin, '/courses/new', COURSE),
  '/courses/:course/settings': ({ as }) =>
    post(as.staff, '/courses/rest/settings', { ...COURSE, version: 1 }),
  '/courses/:course/archive': ({ as }) => post(as.staff, '/courses/rest/archive', { value: 1 }),
  '/courses/:course/copy': ({ as }) => post(as.staff, '/courses/rest/copy', { title: 'REST, once more' }),
  '/courses/:course/categories': ({ as }) => post(as.staff, '/courses/rest/categories', { name: 'Projects' }),
  '/courses/:course/categories/:id': (forum) => onCategory(forum, '', { name: 'Renamed' }),
  '/courses/:course/categories/:id/removal': (forum) => onCategory(forum, '/removal', {}),
  '/courses/:course/lectures': ({ as }) =>
    post(as.staff, '/courses/rest/lectures', { lectures: 'Media types' }),
  '/courses/:course/lectures/:position': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/2', { title: 'Codes', position: 7 }),
  '/courses/:course/lectures/:position/move': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/2/move', { direction: 'up' }),
  '/courses/:course/lectures/:position/merger': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/1/merger', { into: 2 }),
  '/courses/:course/lectures/:position/removal': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/1/removal'),
  '/courses/:course/announcements/new': ({ as }) =>
    post(as.staff, '/courses/rest/announcements/new', { title: 'Another room', ...body }),
  '/announcements/:id/edit': ({ as, announcementId }) =>
    post(as.staff, `/announcements/${announcementId}/edit`, { title: 'The hall', version: 1, ...body }),
  '/courses/:course/faq': ({ as, question }) =>
    post(as.staff, '/courses/rest/faq', { question: question.id, state: 'shown' }),
  '/faq/:id': async ({ as, db }) => {
    await post(as.staff, '/courses/rest/faq', { title: 'What is REST?', ...body })
    const { id } = await db.selectFrom('faq_entries').select('id').executeTakeFirstOrThrow()
    await post(as.staff, `/faq/${id}`, { state: 'shown' })
  },
  '/courses/:course/members': ({ as, bystander }) =>
    post(as.staff, '/courses/rest/members', { email: bystander.email, role: 'assistant' }),
  '/courses/:course/members/:person/role': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/${asker.id}/role`, { role: 'assistant' }),
  '/courses/:course/members/:person/removal': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/${asker.id}/removal`),
  '/join/:token': async ({ as }) => {
    await post(as.staff, '/courses/rest/invitations', { role: 'assistant' })
    const link = /\/join\/[\w-]+/.exec((await as.staff.get('/courses/rest/members')).body)?.[0] ?? ''
    await post(as.helper, link)
  },
  '/settings': ({ as }) =>
    post(as.asker, '/settings', {
      display_name: 'Renamed',
      language: 'system',
      time_zone: '',
      theme: 'system',
    }),
  'a course renamed': ({ db, course }) =>
    db.updateTable('courses').set({ title: 'REST, again' }).where('id', '=', course.id).execute(),
  'a course hidden': ({ db, course }) =>
    db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute(),
  'a course made': ({ db }) => aCourse(db, { title: 'A third course' }),
  'lectures renamed': ({ db, course }) =>
    db.transaction().execute((write) =>
      setLectures(write, course.id, [
        { position: 1, title: 'Methods' },
        { position: 2, title: 'Answers' },
      ]),
    ),
  'an assistant named': ({ db, course, answer }) =>
    db.transaction().execute((write) => addMember(write, course.id, answer.authorId, 'assistant')),
  'an instructor renamed': ({ db, staff }) =>
    db.updateTable('people').set({ display_name: 'Lee' }).where('id', '=', staff.id).execute(),
}

/** Forms on pages of staff that change nothing a visitor sees. */
const UNSEEN_OF_COURSES = /^\/(?:admin|courses\/:course\/(?:invitations|waiting))(?:\/|$)/

/** Forms that change what any page may show: they drop all. */
const DROPS_ALL =
  /^\/courses\/(?:new|:course\/(?:copy|archive|settings|categories|lectures|members))|^\/join\//

/** Forms that change nothing a visitor sees. A new form belongs here or in `WRITES`. */
const UNSEEN =
  /^\/(sign-|appearance|set-up|settings\/|forgotten-|new-password|confirm-|undo-|mail|drafts|preview|uploads|questions\/preview|bad-request|[a-z]+\/:id\/history\/:version\/redaction|courses\/:course\/desk\/saved)/

/** By a link in a mail: what mail comes is shown to nobody. */
const OF_MAIL = /^\/unsubscribe\//

/** Every kind of page that is cached. */
const pagesOf = ({ course, question, second, foreign, asker, answer, announcementId }: Forum) => [
  '/',
  ...['newest', 'active', 'votes', 'views'].map((sort) => `/questions?sort=${sort}`),
  ...['unanswered', 'unresolved', 'resolved'].map((status) => `/questions?status=${status}`),
  '/questions?tag=new',
  `/courses/${course.slug}`,
  `/courses/${course.slug}?lecture=2`,
  '/courses/git',
  `/courses/${course.slug}/announcements`,
  `/courses/${course.slug}/faq`,
  `/announcements/${announcementId}/x`,
  '/courses',
  '/tags',
  '/tags?q=h',
  '/tags/http',
  '/tags/http?sort=active',
  `/people/${asker.id}/x`,
  `/people/${answer.authorId}/x?show=answers`,
  ...[question, second, foreign].map(({ id }) => `/questions/${id}/x`),
  `/questions/${question.id}/x?answers=newest`,
]

for (const [name, write] of Object.entries(WRITES)) {
  test(`after «${name}» each cached page is what a fresh one would be`, async (t) => {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const fresh = await testApp(t, db)
    const forum = await aForum(db, app)
    const urls = await rightAddresses(fresh, pagesOf(forum))
    const isCached = (url: string, shared: { keys(): readonly string[] } | undefined) =>
      shared?.keys().some((key) => key.endsWith(` ${url}`)) === true
    const [member, memberOfFresh] = [
      await signedIn(app, forum.bystander),
      await signedIn(fresh, forum.bystander),
    ]
    await cacheAll(changes, urls, (url) => app.inject(url))
    await cacheAll(changes, urls, (url) => member.get(url))
    assert.ok((app.pageCache?.members.cache.size ?? 0) > urls.length / 2)
    assert.equal(app.pageCache?.visitors.cache.size, urls.length, 'all pages are cached before')
    await write(forum)
    // A form's answer waits for the change feed itself; other writers do not.
    if (!name.startsWith('/')) await changes.caughtUp()
    let cached = 0
    for (const url of urls) {
      const { visitors, members } = app.pageCache ?? {}
      cached += isCached(url, visitors?.cache) ? 1 : 0
      const isOwnCached = isCached(url, members?.cache)
      const [shown, made] = await Promise.all([app.inject(url), fresh.inject(url)])
      assert.equal(shown.statusCode, made.statusCode, url)
      assert.equal(bare(shown.body), bare(made.body), url)
      // Without a cached page, it is rendered from what the visitor's page was rendered from.
      if (!isOwnCached) continue
      const [own, ownMade] = [await member.get(url), await memberOfFresh.get(url)]
      assert.equal(bare(own.body), bare(ownMade.body), `${url}, signed in`)
    }
    // Courses and who teaches in them change rarely: such a change drops all pages.
    assert.ok(
      !name.startsWith('/') || DROPS_ALL.test(name) || cached > 0,
      'what the write does not touch stays cached',
    )
  })
}

test('each form is in the list of writes, or is known to change nothing that visitors see', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const routes = routesOf(app).flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
  assert.ok(routes.length > 15)
  assert.deepEqual(
    routes.filter(
      (route) =>
        WRITES[route] === undefined && ![UNSEEN, OF_MAIL, UNSEEN_OF_COURSES].some((one) => one.test(route)),
    ),
    [],
  )
})

let addresses: Promise<string[]> | null = null

/** Addresses with the right slugs and names, so that none is only a redirect. The forums of all writes are alike. */
function rightAddresses(app: FastifyInstance, urls: readonly string[]): Promise<string[]> {
  addresses ??= Promise.all(urls.map(async (url) => String((await app.inject(url)).headers.location ?? url)))
  return addresses
}

/** Twice, as a page is cached when it is requested again. */
async function cacheAll(
  changes: ChangeFeed,
  urls: readonly string[],
  get: (url: string) => Promise<LightMyRequestResponse>,
): Promise<void> {
  await changes.caughtUp()
  for (const url of [...urls, ...urls]) assert.equal((await get(url)).statusCode, 200, url)
  await changes.caughtUp()
}

async function post(browser: Browser, path: string, fields = {}, page?: string): Promise<void> {
  const answer = await browser.post(path, fields, page === undefined ? {} : { page })
  assert.equal(answer.statusCode, 303, `${path}: ${answer.statusCode}`)
}

const bare = (html: string) => withoutTokens(withoutRequestId(withoutAges(html)))
