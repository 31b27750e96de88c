import assert from 'node:assert/strict'
import { caseOf, measuresOf } from '../../forum/cases/testing.ts'
import { anOfferToAsker } from '../../forum/claiming/examples-testing.ts'
import { addMember, setLectures } from '../../forum/courses/commands.ts'
import { memberSetting } from '../../forum/members/operations.ts'
import type { PostTable } from '../../forum/posts/kinds.ts'
import { holdPost } from '../../forum/posts/removal.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import { perform } from '../../kernel/perform.ts'
import type { Browser } from '../../testing/browser.ts'
import { aCourse } from '../../testing/builders.ts'
import { valueIn } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import type { SmallForum } from '../../testing/small-forum.ts'
import { within } from '../../testing/within.ts'

/** A kind of write: posts a form, or does what a command or another process does. */
export type Act = (forum: SmallForum) => Promise<unknown>

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

/** As the example of the form's operation does it: src/examples-testing.ts. */
export const BY_EXAMPLE = 'by its example'

/**
 * Every kind of write there is, by its form's route, with a remark where one route is here several times; or by its operation's name,
 * where no form performs it, or what a command or a process does. They are done one after the other in one forum, so that a write finds what those before it left: what takes
 * something away is followed by what brings it back, or stands at the end.
 * An operation that isn't here, nor known to change nothing that visitors see, is done by its example before these.
 */
export const WRITES: Readonly<Record<string, Act | typeof BY_EXAMPLE>> = {
  '/questions': BY_EXAMPLE,
  '/questions/:id/release': (forum) => heldAnd(forum, 'questions', 'release'),
  '/answers/:id/release': (forum) => heldAnd(forum, 'answers', 'release'),
  '/replies/:id/release': (forum) => heldAnd(forum, 'replies', 'release'),
  '/questions/:id/rejection': (forum) => heldAnd(forum, 'questions', 'rejection'),
  '/answers/:id/rejection': (forum) => heldAnd(forum, 'answers', 'rejection'),
  '/replies/:id/rejection': (forum) => heldAnd(forum, 'replies', 'rejection'),
  '/questions/:id/answers': ({ as, second }) => post(as.staff, `/questions/${second.id}/answers`, body),
  '/questions/:id/replies': BY_EXAMPLE,
  '/answers/:id/replies': BY_EXAMPLE,
  '/questions/:id/edit': ({ as, question, course }) =>
    edit(as.asker, `/questions/${question.id}/edit`, {
      course: course.slug,
      title: 'An edited title',
      tags: 'status, edited',
      lecture: 2,
      ...body,
    }),
  '/answers/:id/edit': ({ as, answer }) => edit(as.helper, `/answers/${answer.id}/edit`, body),
  '/replies/:id/edit': ({ as, reply }) => edit(as.asker, `/replies/${reply.id}/edit`, body),
  '/questions/:id/votes': BY_EXAMPLE,
  '/answers/:id/votes': BY_EXAMPLE,
  '/questions/:id/assignment': BY_EXAMPLE,
  '/questions/:id/pin': BY_EXAMPLE,
  '/questions/:id/snooze': BY_EXAMPLE,
  '/questions/:id/claim': ({ as, question }) =>
    post(as.staff, `/questions/${question.id}/claim`, { value: 1 }),
  '/questions/:id/done': ({ as, question }) => post(as.staff, `/questions/${question.id}/done`, { value: 0 }),
  '/replies/:id/conversion': BY_EXAMPLE,
  '/answers/:id/conversion/undo': (forum) => undoConversion(forum, 'answers'),
  '/answers/:id/conversion': BY_EXAMPLE,
  '/replies/:id/conversion/undo': (forum) => undoConversion(forum, 'replies'),
  '/answers/:id/endorsement': BY_EXAMPLE,
  '/replies/:id/delete': BY_EXAMPLE,
  '/replies/:id/restoration': ({ as, reply }) => post(as.asker, `/replies/${reply.id}/restoration`),
  '/answers/:id/delete': BY_EXAMPLE,
  '/answers/:id/restoration': ({ as, answer }) => post(as.helper, `/answers/${answer.id}/restoration`),
  '/questions/:id/delete': BY_EXAMPLE,
  '/questions/:id/restoration': ({ as, question }) => post(as.asker, `/questions/${question.id}/restoration`),
  '/cases/:id/decision': async (forum) => {
    await post(forum.as.asker, `/answers/${forum.answer.id}/reports`, { reason: 'rude' })
    const { id, version } = await caseOf(forum.db, { about: 'answer', id: forum.answer.id })
    const decision = { decision: 'uphold', version, measure: 'hide', note: 'Rude' }
    await post(forum.as.staff, `/cases/${id}/decision`, decision)
  },
  '/measures/:id/end': async ({ db, as, answer }) => {
    const [measure] = await measuresOf(db, (await caseOf(db, { about: 'answer', id: answer.id })).id)
    await post(as.staff, `/measures/${measure?.id}/end`, {})
  },
  '/people/:id/posts/deletion': ({ as, helper, course }) =>
    post(as.staff, `/people/${helper.id}/posts/deletion`, { course: course.slug, reason: 'spam' }),
  '/people/:id/posts/restoration': ({ as, helper, course }) =>
    post(as.staff, `/people/${helper.id}/posts/restoration`, { course: course.slug }),
  '/people/:id/spammer': ({ as, helper, course }) =>
    post(as.staff, `/people/${helper.id}/spammer`, { course: course.slug, sure: 1 }),
  '/people/:id/spammer/undo': ({ as, helper, course }) =>
    post(as.staff, `/people/${helper.id}/spammer/undo`, { course: course.slug }),
  '/admin/people/:id/merge': ({ as, helper, foreign }) =>
    post(as.admin, `/admin/people/${helper.id}/merge`, { from: foreign.authorId, sure: 1 }),
  '/admin/people/:id/merge/undo': ({ as, helper, foreign }) =>
    post(as.admin, `/admin/people/${helper.id}/merge/undo`, { from: foreign.authorId }),
  '/settings/claims/:id': BY_EXAMPLE,
  '/settings/claims/:id, without the name': async (forum) =>
    post(forum.as.asker, `/settings/claims/${(await anOfferToAsker(forum)).id}`, { decision: 'nameless' }),
  '/replies/:id/edit, by staff': ({ as, reply }) =>
    edit(as.staff, `/replies/${reply.id}/edit`, { body: 'What staff made of it.' }),
  '/replies/:id/history/:version/restoration': (forum) => restoreKept(forum, 'reply'),
  '/answers/:id/edit, by staff': ({ as, answer }) =>
    edit(as.staff, `/answers/${answer.id}/edit`, { body: 'What staff made of it.' }),
  '/answers/:id/history/:version/restoration': (forum) => restoreKept(forum, 'answer'),
  '/questions/:id/edit, by staff': ({ as, question }) =>
    edit(as.staff, `/questions/${question.id}/edit`, {
      title: 'A title of staff',
      tags: 'edited',
      lecture: 2,
      body: 'What staff made of it.',
    }),
  '/questions/:id/history/:version/restoration': (forum) => restoreKept(forum, 'question'),
  '/answers/:id/acceptance': BY_EXAMPLE,
  '/questions/:id/resolution, not resolved': ({ as, question }) =>
    post(as.asker, `/questions/${question.id}/resolution`, { status: 'unresolved' }),
  '/questions/:id/resolution': BY_EXAMPLE,
  '/questions/:id/desk': ({ as, second }) =>
    post(as.staff, `/questions/${second.id}/desk`, { act: 'resolve', ...body }),
  '/questions/:id/move': BY_EXAMPLE,
  '/questions/:id/move, another course': ({ as, question }) =>
    post(as.admin, `/questions/${question.id}/move`, { course: 'git' }),
  '/questions/:id/move, back': ({ as, question }) =>
    post(as.admin, `/questions/${question.id}/move`, { course: 'rest', lecture: '2' }),
  '/questions/:id/closing': BY_EXAMPLE,
  '/questions/:id/closing, open again': ({ as, question }) =>
    post(as.staff, `/questions/${question.id}/closing`, { reason: '' }),
  '/courses/:course/questions/bulk': ({ as, question, second, course }) =>
    post(as.staff, `/courses/${course.slug}/questions/bulk`, {
      ...{ act: 'close', question: `${question.id} ${second.id}`, reason: 'unclear' },
    }),
  '/courses/:course/moderation/bulk': ({ as, course, reply }) =>
    post(as.staff, `/courses/${course.slug}/moderation/bulk`, {
      ...{ act: 'delete', post: `reply-${reply.id}`, ground: 'spam' },
    }),
  '/moderation/bulk': ({ as, answer }) =>
    post(as.admin, '/moderation/bulk', { act: 'delete', post: `answer-${answer.id}`, ground: 'spam' }),
  '/bulk/:id/undo': async ({ as, db }) => {
    const acts = db.selectFrom('bulk_acts').select('id').orderBy('id', 'desc')
    await post(as.admin, `/bulk/${(await acts.executeTakeFirstOrThrow()).id}/undo`)
  },
  '/courses/:course/settings/tags': ({ as, course }) =>
    post(as.staff, `/courses/${course.slug}/settings/tags`, {
      ...{ tag: 'status', name: 'codes', description: 'Numbers of answers.', aliases: 'statuses' },
    }),
  '/courses/:course/settings/tags/:tag/undo': ({ as, course }) =>
    post(as.staff, `/courses/${course.slug}/settings/tags/codes/undo`),
  '/questions/:id/duplicate': ({ as, question, second }) =>
    post(as.staff, `/questions/${second.id}/duplicate`, { of: question.id }),
  '/questions/:id/following': BY_EXAMPLE,
  // Nothing is counted without the sign of a page of results, and nothing that a page shows is changed with it.
  '/questions/:id/opening': ({ as, question }) =>
    post(as.helper, `/questions/${question.id}/opening`, { q: 'created resource' }),
  '/courses/:course/following': BY_EXAMPLE,
  '/courses/:course/lectures/:position/following': BY_EXAMPLE,
  '/tags/:tag/following': BY_EXAMPLE,
  '/questions/reading': ({ as }) => post(as.helper, '/questions/reading'),
  '/courses/:course/reading': ({ as, course }) => post(as.helper, `/courses/${course.slug}/reading`),
  '/questions/:id/reading': ({ as, question }) => post(as.helper, `/questions/${question.id}/reading`),
  '/notifications/:id/opening': async ({ as, db, asker }) => {
    const told = db.selectFrom('notifications').select('id').where('person_id', '=', asker.id)
    const { id } = await told.executeTakeFirstOrThrow()
    await post(as.asker, `/notifications/${id}/opening`)
  },
  '/notifications/seen': BY_EXAMPLE,
  '/following': ({ as }) => post(as.helper, '/following', { value: 0 }),
  '/courses/:course/announcements/new': BY_EXAMPLE,
  '/announcements/:id/reading': ({ as, announcementId }) =>
    post(as.helper, `/announcements/${announcementId}/reading`),
  '/announcements/:id/edit': ({ as, announcementId }) =>
    edit(as.staff, `/announcements/${announcementId}/edit`, { title: 'The hall', ...body }),
  '/courses/:course/faq': ({ as, question }) =>
    post(as.staff, '/courses/rest/faq', { question: question.id, state: 'shown' }),
  '/faq/:id': async ({ as, db }) => {
    await post(as.staff, '/courses/rest/faq', { title: 'What is REST?', ...body })
    const entries = db.selectFrom('faq_entries').select('id').orderBy('id', 'desc')
    await post(as.staff, `/faq/${(await entries.executeTakeFirstOrThrow()).id}`, { state: 'shown' })
  },
  '/faq/:id/move': async ({ as, db }) => {
    const entries = db
      .selectFrom('faq_entries')
      .select('id')
      .where('state', '=', 'shown')
      .orderBy('id', 'desc')
    await post(as.staff, `/faq/${(await entries.executeTakeFirstOrThrow()).id}/move`, { direction: 'up' })
  },
  '/settings': BY_EXAMPLE,
  '/questions/:id/audience': BY_EXAMPLE,
  '/questions/:id/audience, opened again': ({ as, question }) =>
    post(as.asker, `/questions/${question.id}/audience`, { audience: 'course' }),
  '/courses/new': BY_EXAMPLE,
  '/courses/:course/settings': ({ as }) => edit(as.staff, '/courses/rest/settings', COURSE),
  '/courses/:course/settings/rules': BY_EXAMPLE,
  '/admin/pages/rules': BY_EXAMPLE,
  '/admin/pages/privacy': BY_EXAMPLE,
  '/admin/pages/contact': BY_EXAMPLE,
  '/courses/:course/archive': BY_EXAMPLE,
  '/courses/:course/archive, back from it': ({ as }) => post(as.staff, '/courses/rest/archive', { value: 0 }),
  '/courses/:course/deletion': deleteAndRestore,
  '/courses/:course/restoration': deleteAndRestore,
  '/courses/:course/copy': BY_EXAMPLE,
  '/courses/:course/categories': BY_EXAMPLE,
  '/courses/:course/categories/:id': async (forum) =>
    post(forum.as.staff, `/courses/rest/categories/${await filledCategory(forum)}`, { name: 'Renamed' }),
  '/courses/:course/categories/:id/removal': async (forum) =>
    post(forum.as.staff, `/courses/rest/categories/${await filledCategory(forum)}/removal`),
  'lectures renamed': ({ db, course }) =>
    db.transaction().execute((write) =>
      setLectures(write, course.id, [
        { position: 1, title: 'Methods' },
        { position: 2, title: 'Answers' },
      ]),
    ),
  '/courses/:course/lectures': BY_EXAMPLE,
  '/courses/:course/lectures/:position/move': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/2/move', { direction: 'up' }),
  '/courses/:course/lectures/undo/:change': async ({ as, db }) => {
    const { change } = await db.selectFrom('lecture_undos').select('change').executeTakeFirstOrThrow()
    await post(as.staff, `/courses/rest/lectures/undo/${change}`)
  },
  '/courses/:course/lectures/:position': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/1', { title: 'Codes', position: 7 }),
  '/courses/:course/lectures/:position/merger': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/7/merger', { into: 3 }),
  '/courses/:course/lectures/:position/removal': ({ as }) =>
    post(as.staff, '/courses/rest/lectures/3/removal'),
  '/courses/:course/leaving': BY_EXAMPLE,
  '/courses/:course/members': ({ as, newcomer }) =>
    post(as.staff, '/courses/rest/members', { email: newcomer.email, role: 'assistant' }),
  '/courses/:course/members/roles': async ({ as, newcomer }) => {
    await as.staff.post('/courses/rest/members', { list: `${newcomer.email},instructor` })
    await post(as.staff, '/courses/rest/members/roles', { person: `${newcomer.email} instructor` })
  },
  '/courses/:course/members/:person/role': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/${asker.id}/role`, { role: 'assistant' }),
  '/courses/:course/members/:person/role/:given/undo/:former': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/${asker.id}/role/assistant/undo/learner`),
  '/courses/:course/members/selection': ({ as, asker }) =>
    post(as.staff, '/courses/rest/members/selection', { person: asker.id, act: 'role', role: 'assistant' }),
  '/courses/:course/members/selection/role/:given/undo/:former': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/selection/role/assistant/undo/learner.${asker.id}`),
  '/courses/:course/members/:person/removal': ({ as, asker }) =>
    post(as.staff, `/courses/rest/members/${asker.id}/removal`),
  '/join/:token': async ({ as }) => {
    await post(as.staff, '/courses/rest/invitations', { role: 'assistant' })
    const link = /\/join\/[\w-]+/.exec((await as.staff.get('/courses/rest/members')).body)?.[0] ?? ''
    await post(as.asker, link)
  },
  'a course renamed': ({ db, course }) =>
    db.updateTable('courses').set({ title: 'REST, again' }).where('id', '=', course.id).execute(),
  'a course made': ({ db }) => aCourse(db, { title: 'A third course' }),
  'an assistant named': ({ db, course, helper }) =>
    db.transaction().execute((write) => addMember(write, course.id, helper.id, 'assistant')),
  'set-member': ({ db, course, asker }) =>
    perform(
      db,
      memberSetting,
      { actor: OPERATOR, key: course.slug, input: { email: asker.email, role: 'instructor' } },
      { baseUrl: 'https://forum.example', language: 'en', log: () => undefined },
    ),
  'somebody mentioned': async ({ db, as, course, question, newcomer }) => {
    await db.transaction().execute((write) => addMember(write, course.id, newcomer.id, 'learner'))
    const text = { body: `Ask @[Noor](person:${newcomer.id})` }
    await post(as.helper, `/questions/${question.id}/replies`, text)
  },
  'somebody renamed who is mentioned': ({ db, newcomer }) =>
    db.updateTable('people').set({ display_name: 'Nour' }).where('id', '=', newcomer.id).execute(),
  'somebody gone who is mentioned': ({ db, newcomer }) =>
    db.deleteFrom('course_members').where('person_id', '=', newcomer.id).execute(),
  'an instructor renamed': ({ db, staff }) =>
    db.updateTable('people').set({ display_name: 'Lee' }).where('id', '=', staff.id).execute(),
  'a course hidden': ({ db, course }) =>
    db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute(),
}

/** A category that the question is in. */
async function filledCategory({ db, course, question }: SmallForum): Promise<number> {
  const { id } = await db
    .selectFrom('categories')
    .select('id')
    .where('course_id', '=', course.id)
    .orderBy('position', 'desc')
    .executeTakeFirstOrThrow()
  await db.updateTable('questions').set({ category_id: id }).where('id', '=', question.id).execute()
  return id
}

/** Has a post wait, and lets it through, also after a rejection that is undone: it is there as before. */
async function heldAnd(forum: SmallForum, table: PostTable, act: 'release' | 'rejection'): Promise<void> {
  const { db, as, question, answer, reply } = forum
  const { id } = { questions: question, answers: answer, replies: reply }[table]
  await within(db, holdPost, { table, id }, 'all')
  await post(as.staff, `/${table}/${id}/${act}`, { ground: 'spam' })
  if (act === 'release') return
  const [measure] = (await rowsOf(db, 'measures', { kind: 'delete' })).slice(-1)
  await post(as.staff, `/measures/${measure?.id}/end`, {})
  await post(as.staff, `/${table}/${id}/release`, {})
}

/** Takes back the conversion that was done last. @param table where the post is now */
async function undoConversion({ db, as }: SmallForum, table: 'answers' | 'replies'): Promise<void> {
  const all = await rowsOf(db, 'conversions', {})
  const last = all.at(-1)
  await post(as.staff, `/${table}/${last?.answer_id ?? last?.reply_id}/conversion/undo`)
}

/** Brings back the version of a post that an edit replaced last. */
async function restoreKept(forum: SmallForum, kind: 'question' | 'answer' | 'reply'): Promise<void> {
  const { id } = forum[kind]
  const { version } = await forum.db
    .selectFrom('post_versions')
    .select('version')
    .where(`${kind}_id`, '=', id)
    .orderBy('version', 'desc')
    .executeTakeFirstOrThrow()
  const table = { question: 'questions', answer: 'answers', reply: 'replies' }[kind]
  await post(forum.as.staff, `/${table}/${id}/history/${version}/restoration`)
}

async function edit(browser: Browser, path: string, fields: object): Promise<void> {
  const form = (await browser.get(path)).body
  await post(browser, path, { version: valueIn(form, 'version'), ...fields }, path)
}

async function post(browser: Browser, path: string, fields = {}, page?: string): Promise<void> {
  const answer = await browser.post(path, fields, page === undefined ? {} : { page })
  assert.equal(answer.statusCode, 303, `${path}: ${answer.statusCode}`)
}

/** A course that is deleted has no pages to compare. */
async function deleteAndRestore({ as }: SmallForum): Promise<void> {
  await post(as.admin, '/courses/git/deletion', { title: 'Git' })
  await post(as.admin, '/courses/git/restoration')
}
