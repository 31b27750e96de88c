import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import { aProgram } from '../../doors/api/testing.ts'
import type { Ending } from '../../testing/at-end.ts'
import { setAudience } from '../../testing/audience.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { anAnnouncement, deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { hidePost, holdPost } from '../posts/removal.ts'
import { aToldCourse, aWebhook, deliver, deliveriesOf, happen, type WebhookOptions } from './testing.ts'

const NAME = 'Zyxmina'
const [CREATED, REMOVED] = [
  ['question.created', 'answer.created', 'reply.created', 'announcement.posted'],
  ['question.removed', 'answer.removed', 'reply.removed'],
]

suite('what programs are told', () => {
  const forum = sharedForum()

  /** A question, an answer, and a reply to it, by one learner; and webhooks that differ in what they may tell. */
  async function aScene(t: Ending, isAnonymous = false, first: Partial<WebhookOptions> = {}) {
    const types = [...CREATED, ...REMOVED, 'course.imported']
    const { db, course, owner, receiver, id } = await aToldCourse(
      t,
      forum.db,
      { ...first, types },
      { title: 'REST' },
    )
    const author = await aMember(db, course, 'learner', await aPerson(db, { displayName: NAME }))
    const own = { author, isAnonymous, body: `Look at **this**: https://example.com` }
    const question = await aQuestion(db, { ...own, course, title: 'Which status?' })
    const answer = await anAnswer(db, { ...own, question })
    const reply = await aReply(db, { ...own, answer })
    const webhook = (more: Partial<WebhookOptions>) =>
      aWebhook(db, { url: receiver.url, owner, course_id: course.id, types, ...more })
    const ids = { question_id: question.id, answer_id: answer.id, reply_id: reply.id }
    const events = (happening: string, more: object = {}) => [
      { type: `question.${happening}`, course_id: course.id, question_id: question.id, ...more },
      { type: `answer.${happening}`, course_id: course.id, ...ids, reply_id: null, ...more },
      { type: `reply.${happening}`, course_id: course.id, ...ids, ...more },
    ]
    return { db, course, owner, author, question, answer, reply, receiver, id, webhook, events }
  }

  test('a post, whose author is as in the API, with its question and nothing else of it', async (t) => {
    const { db, course, owner, question, answer, reply, receiver, events } = await aScene(t)
    await happen(db, events('created'))
    await deliver(db)
    const payloads = receiver.payloads()
    const program = aProgram(forum.app, await aToken(forum, owner, ['read']))
    const { author } = (await program.get(`/questions/${question.id}`)).json()
    assert.equal(author.name, NAME)
    const excerpt = 'Look at this: https://example.com'
    const url = `https://forum.example/questions/${question.id}/which-status`
    const asked = { id: question.id, url, title: 'Which status?' }
    const answered = { id: answer.id, url: `${url}#answer-${answer.id}` }
    const replied = { id: reply.id, url: `${url}#reply-${reply.id}` }
    assert.deepEqual(
      payloads.map(({ type, data }) => [type, data]),
      [
        ['question.created', { course: course.slug, question: { ...asked, author, excerpt } }],
        [
          'answer.created',
          { course: course.slug, question: asked, answer: { ...answered, author, excerpt } },
        ],
        [
          'reply.created',
          { course: course.slug, question: asked, answer: answered, reply: { ...replied, author, excerpt } },
        ],
      ],
    )
    for (const { timestamp } of payloads) assert.equal(new Date(timestamp).toISOString(), timestamp)
  })

  test('an announcement and an import', async (t) => {
    const { db, course, owner, receiver } = await aScene(t)
    const news = { courseId: course.id, authorId: owner.id, title: 'Exam', body: 'On *Monday*.' }
    const id = await anAnnouncement(db, news)
    await happen(db, [
      { type: 'announcement.posted', course_id: course.id, announcement_id: id },
      { type: 'course.imported', course_id: course.id },
    ])
    await deliver(db)
    const author = { id: owner.id, name: owner.displayName, role: 'instructor' }
    const url = `https://forum.example/announcements/${id}/exam`
    assert.deepEqual(valuesOf(receiver.payloads(), 'data'), [
      { course: course.slug, announcement: { id, url, title: 'Exam', author, excerpt: 'On Monday.' } },
      { course: course.slug },
    ])
  })

  test('it is made of what is true when it is sent: what was deleted, hidden, held or made private meanwhile is not told', async (t) => {
    for (const [end, told] of [
      [() => undefined, 3],
      [({ db, question, answer }) => within(db, deleteAnswer, question.id, answer.id), 1],
      [({ db, question }) => within(db, deleteQuestion, question.id), 0],
      [({ db, answer: { id } }) => within(db, hidePost, { table: 'answers', id }), 1],
      [({ db, question: { id } }) => within(db, hidePost, { table: 'questions', id }), 0],
      [({ db, question: { id } }) => within(db, holdPost, { table: 'questions', id }, 'all'), 0],
      [({ db, reply: { id } }) => within(db, holdPost, { table: 'replies', id }, 'all'), 2],
      [({ db, question }) => setAudience(db, question.id, 'staff'), 0],
    ] as readonly (readonly [(scene: Awaited<ReturnType<typeof aScene>>) => unknown, number])[]) {
      const scene = await aScene(t, false, { with_names: true })
      await happen(scene.db, scene.events('created'))
      await end(scene)
      await deliver(scene.db)
      assert.equal(scene.receiver.payloads().length, told, String(end))
      const outcomes = (await deliveriesOf(scene.db, scene.id)).map(({ outcome, tries }) => [outcome, tries])
      const dropped = outcomes.filter(([outcome, tries]) => outcome === 'dropped' && tries === 0)
      assert.equal(dropped.length, 3 - told, String(end))
    }
  })

  test('a private post is told where the webhook is for these, and its owner is staff; a hidden one there neither', async (t) => {
    const { db, question, answer, owner, course, receiver, webhook, events } = await aScene(t)
    await webhook({ with_private: true })
    await setAudience(db, question.id, 'staff')
    await happen(db, events('created', { audience: 'staff' }))
    await deliver(db)
    const payloads = receiver.payloads()
    assert.equal(payloads.length, 3)
    assert.match(JSON.stringify(payloads), new RegExp(`/questions/${question.id}/private`))
    assert.doesNotMatch(JSON.stringify(payloads), /which-status/, 'no title in an address')
    await within(db, hidePost, { table: 'answers', id: answer.id })
    await happen(db, events('created', { audience: 'staff' }))
    await deliver(db)
    assert.equal(receiver.payloads().length, 1)
    await setRows(db, 'course_members', { person_id: owner.id, course_id: course.id }, { role: 'learner' })
    await happen(db, events('created', { audience: 'staff' }))
    await deliver(db)
    assert.equal(receiver.payloads().length, 0)
  })

  test('what is removed has its ids and nothing else', async (t) => {
    const { db, course, question, answer, reply, receiver, events } = await aScene(t)
    await within(db, deleteQuestion, question.id)
    await happen(db, events('removed'))
    await deliver(db)
    const [q, a, r] = [{ id: question.id }, { id: answer.id }, { id: reply.id }]
    assert.deepEqual(valuesOf(receiver.payloads(), 'data'), [
      { course: course.slug, question: q },
      { course: course.slug, question: q, answer: a },
      { course: course.slug, question: q, answer: a, reply: r },
    ])
  })

  test('an anonymous author is a stand-in, in the course’s language, unless the webhook is to have names', async (t) => {
    const { db, course, author, receiver, webhook, events } = await aScene(t, true)
    await setRows(db, 'courses', course.id, { language: 'ko' })
    await happen(db, events('created'))
    await deliver(db)
    const hidden = receiver.received.map(({ body }) => body)
    assert.equal(receiver.payloads().length, 3)
    const standIn = '"author":{"id":null,"name":"익명 1","role":null,"stand_in":1,"questions_count":null}'
    for (const body of hidden) {
      assert.ok(body.includes(standIn))
      assert.doesNotMatch(body, new RegExp(`${NAME}|"id":${author.id},"name"`))
    }
    await webhook({ with_names: true })
    await happen(db, events('created'))
    await deliver(db)
    assert.equal(receiver.payloads().filter(({ data }) => JSON.stringify(data).includes(NAME)).length, 3)
  })

  test('a question that moved is told in the course where it is', async (t) => {
    const { db, question, receiver, events } = await aScene(t)
    await happen(db, events('created'))
    const { id, categoryId } = await aCourse(db)
    await setRows(db, 'questions', question.id, { course_id: id, category_id: categoryId })
    await deliver(db)
    assert.deepEqual(receiver.payloads(), [])
  })

  test('the longest title, text and name are below 20 kB', async (t) => {
    const { db, course, receiver } = await aScene(t)
    const author = await aPerson(db, { displayName: '가'.repeat(50) })
    const body = '👩‍👩‍👧‍👦'.repeat(200)
    const question = await aQuestion(db, { course, author, title: '뷁'.repeat(150), body })
    const answer = await anAnswer(db, { question, author, body: '\\"'.repeat(5000) })
    const reply = await aReply(db, { answer, author, body })
    const about = { course_id: course.id, question_id: question.id }
    await happen(db, [
      { type: 'question.created', ...about },
      { type: 'reply.created', ...about, answer_id: answer.id, reply_id: reply.id },
    ])
    await deliver(db)
    assert.equal(receiver.received.length, 2)
    for (const { body } of receiver.received)
      assert.ok(Buffer.byteLength(body) < 20_000, `${Buffer.byteLength(body)}`)
  })
})
