import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Ending } from '../../testing/at-end.ts'
import { setAudience } from '../../testing/audience.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { type CourseOptions, setPromise } from '../../testing/courses.ts'
import { sharedForum } from '../../testing/forum.ts'
import { deleteQuestion, type QuestionOptions } from '../../testing/posts.ts'
import { setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { CHAT_FORMATS } from './chat-formats.ts'
import { planByClock } from './planning.ts'
import {
  asked,
  aTestDelivery,
  aToldCourse,
  deliver,
  deliveriesOf,
  happen,
  passWebhookTime,
  type WebhookOptions,
} from './testing.ts'

const URL = 'https://forum.example'

suite('what a chat is told', () => {
  const forum = sharedForum()

  async function aScene(
    t: Ending,
    more: Partial<WebhookOptions> = {},
    options: CourseOptions = { title: 'REST & <co>' },
  ) {
    const chat: typeof more = { kind: 'slack', chat: ['new', 'late', 'daily'], ...more }
    const { db, course, owner, receiver, id } = await aToldCourse(t, forum.db, chat, options)
    receiver.answer = (reply) => reply.writeHead(200).end('ok')
    const ask = async (...questions: readonly QuestionOptions[]) => {
      const made = []
      for (const question of questions) made.push(await aQuestion(db, { ...question, course }))
      await asked(db, made)
      return made
    }
    return { db, courseId: course.id, slug: course.slug, owner, receiver, id, ask }
  }

  const waits = (question: { readonly id: number } | undefined, interval: string | null) =>
    setRows(
      forum.db,
      'question_desk',
      { question_id: question?.id ?? 0 },
      { waiting_since: sql`now() - ${interval}::interval` },
    )

  test('a question has its title, author, beginning and link; Slack takes nothing of it for a call', async (t) => {
    const { db, receiver, ask } = await aScene(t)
    const author = await aPerson(db, { displayName: 'Mara <!here>' })
    const [question] = await ask({
      author,
      title: 'Why <!channel> & @everyone?',
      body: 'See <https://x.example> & *this*.',
    })
    await deliver(db)
    assert.deepEqual(receiver.messages(), [
      {
        text: 'New question · REST &amp; &lt;co&gt;: Why &lt;!channel&gt; &amp; @everyone?',
        blocks: [
          '*New question* · REST &amp; &lt;co&gt;',
          `<${URL}/questions/${question?.id}|Why &lt;!channel&gt; &amp; @everyone?>\nMara &lt;!here&gt;`,
          'See https://x.example &amp; this.',
          `<${URL}/courses/rest-co|Open in Handup>`,
        ].map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })),
        ...{ unfurl_links: false, unfurl_media: false },
      },
    ])
  })

  test('Discord calls nobody and takes nothing for Markdown; Teams gets a card of plain runs', async (t) => {
    const discord = await aScene(t, { kind: 'discord' })
    const author = await aPerson(forum.db, { displayName: 'Mara' })
    const question = { author, title: 'Is @everyone **here**?', body: '`# [no](https://x.example)`' }
    const [first] = await discord.ask(question)
    const teams = await aScene(t, { kind: 'teams' })
    const [other] = await teams.ask(question)
    await deliver(forum.db)
    const embed = {
      ...{ title: question.title, url: `${URL}/questions/${first?.id}`, author: { name: 'Mara' } },
      description: '\\# \\[no\\]\\(https\\://x.example\\)',
    }
    const message = { content: '**New question** · REST & \\<co\\>', embeds: [embed] }
    assert.deepEqual(discord.receiver.messages<object>(), [{ ...message, allowed_mentions: { parse: [] } }])
    const run = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style })
    const opening = (path: string) => ({ type: 'Action.OpenUrl', url: `${URL}${path}` })
    const body = [
      [run('New question', { weight: 'Bolder' }), run(' · REST & <co>')],
      [run(question.title, { selectAction: opening(`/questions/${other?.id}`) })],
      [run('Mara', { isSubtle: true })],
      [run('# [no](https://x.example)')],
    ].map((inlines) => ({ type: 'RichTextBlock', inlines }))
    const actions = [{ ...opening(`/courses/${teams.slug}`), title: 'Open in Handup' }]
    const $schema = 'http://adaptivecards.io/schemas/adaptive-card.json'
    const content = { $schema, type: 'AdaptiveCard', version: '1.4', body, actions }
    const contentType = 'application/vnd.microsoft.card.adaptive'
    const attachments = [{ contentType, contentUrl: null, content }]
    assert.deepEqual(teams.receiver.messages<object>(), [{ type: 'message', attachments }])
  })

  test('an anonymous author is "Anonymous 1" whatever the webhook may tell; a private question, or one that is gone, is not told', async (t) => {
    const { db, owner, courseId, receiver, ask, id } = await aScene(t, { with_names: true })
    const author = await aPerson(db, { displayName: 'Zyxmina' })
    const [first] = await ask({ author, isAnonymous: true })
    await deliver(db)
    const text = JSON.stringify(receiver.messages())
    assert.match(text, /Anonymous 1/)
    assert.doesNotMatch(text, /Zyxmina/)
    await passWebhookTime(db, '2 minutes')
    const [hidden, gone] = await ask({ title: 'Zyxprivate?' }, { title: 'Zyxgone?' })
    await setAudience(db, hidden?.id ?? 0, 'staff')
    await within(db, deleteQuestion, gone?.id ?? 0, owner.id)
    await happen(db, [
      { type: 'question.created', course_id: courseId, question_id: first?.id ?? 0, audience: 'staff' },
    ])
    await deliver(db)
    assert.deepEqual(receiver.messages(), [])
    assert.deepEqual(valuesOf(await deliveriesOf(db, id), 'outcome'), ['200', 'dropped', 'dropped'])
  })

  test('there is one message a minute: more questions become one, in the course’s language', async (t) => {
    const { db, receiver, ask, id } = await aScene(t, {}, { title: '웹', language: 'ko' })
    await ask({ title: 'First?' })
    await deliver(db)
    await ask(...Array.from({ length: 12 }, (_, index) => ({ title: `Question ${index + 1}?` })))
    await deliver(db)
    assert.equal(receiver.messages().length, 1)
    await passWebhookTime(db, '50 seconds')
    await deliver(db)
    assert.equal(receiver.received.length, 0, 'not within the minute')
    await passWebhookTime(db, '11 seconds')
    await deliver(db)
    const [message = assert.fail(), second] = receiver.messages()
    assert.equal(second, undefined)
    const texts = message.blocks.map(({ text }) => text.text)
    assert.deepEqual([texts[0], texts.length, texts[11]], ['*새 질문 12개* · 웹', 13, '외 2개'])
    assert.match(texts[1] ?? '', /\|Question 1\?>$/)
    assert.ok((await deliveriesOf(db, id)).every(({ outcome, tries }) => outcome === '200' && tries === 1))
  })

  test('429 is heeded, and what came meanwhile is in the same message', async (t) => {
    const { db, receiver, ask } = await aScene(t)
    receiver.answer = (reply) => reply.writeHead(429, { 'retry-after': '90' }).end()
    await ask({})
    await deliver(db)
    await ask({}, {})
    receiver.answer = (reply) => reply.writeHead(200).end()
    await passWebhookTime(db, '80 seconds')
    await deliver(db)
    assert.equal(receiver.messages().length, 1)
    await passWebhookTime(db, '11 seconds')
    await deliver(db)
    assert.match(receiver.messages()[0]?.text ?? '', /^3 new questions/)
  })

  test('questions past the promise are told once, and no more once they are answered', async (t) => {
    const { db, courseId, slug, receiver, ask } = await aScene(t, { chat: ['late'] })
    await setPromise(db, courseId, 1)
    await planByClock(db)
    const [first, second] = await ask({ title: 'First?' }, { title: 'Second?' })
    await passWebhookTime(db, '30 minutes')
    await waits(first, '65 minutes')
    await deliver(db)
    const [{ text, blocks } = assert.fail()] = receiver.messages()
    assert.equal(text, 'A question has waited longer than promised · REST &amp; &lt;co&gt;: First?')
    assert.equal(blocks.at(-1)?.text.text, `<${URL}/courses/${slug}/desk|Open in Handup>`)
    await deliver(db)
    // Both are looked at again, from when it was told.
    await passWebhookTime(db, '4 minutes')
    await waits(second, null)
    await deliver(db)
    assert.deepEqual(receiver.messages(), [])
  })

  test('a daily summary counts what everyone in the course reads, and is left out where there is nothing', async (t) => {
    const { db, courseId, receiver, ask } = await aScene(t, { chat: ['daily'] })
    await setPromise(db, courseId, 1)
    await planByClock(db)
    await passWebhookTime(db, '1 day')
    await deliver(db)
    assert.deepEqual(receiver.messages(), [])
    const [late] = await ask({}, {}, { audience: 'staff' })
    await waits(late, '2 hours')
    await passWebhookTime(db, '1 day')
    await deliver(db)
    const [message = assert.fail()] = receiver.messages()
    const texts = message.blocks.map(({ text }) => text.text)
    assert.deepEqual(texts.slice(0, -1), [
      '*Daily summary* · REST &amp; &lt;co&gt;',
      '2 new questions in the last 24 hours',
      '2 questions wait for course staff',
      '1 of them longer than promised',
    ])
  })

  test('a test message says that it is one', async (t) => {
    const { db, receiver, id } = await aScene(t)
    await aTestDelivery(db, id)
    await deliver(db)
    assert.match(receiver.messages()[0]?.text ?? '', /^Test message/)
  })
})

test('messages are within the limits of each service, and turn no text around', () => {
  const emojis = '👩‍👩‍👧‍👦'.repeat(150)
  for (const title of [emojis, '&'.repeat(150), '‏שלום‮ @everyone', '뷁'.repeat(150), '*_`[]()'.repeat(20)])
    for (const count of [1, 10]) {
      const more = count > 1 ? null : { author: title, excerpt: title.repeat(2) }
      const message = {
        ...{ heading: 'New question', place: title, lines: ['and 990 more'] },
        questions: Array.from({ length: count }, (_, index) => ({
          title,
          url: `${URL}/questions/${10 ** 12 + index}`,
          more,
        })),
        link: { text: 'Open in Handup', url: `${URL}/courses/${'x'.repeat(80)}` },
      }
      const slack = CHAT_FORMATS.slack(message)
      assert.ok(slack.blocks.length <= 50 && slack.text.length <= 4000)
      for (const { text } of slack.blocks) assert.ok(text.text.length > 0 && text.text.length <= 3000)
      const { content, embeds } = CHAT_FORMATS.discord(message)
      const [embed = assert.fail()] = embeds
      assert.ok(content.length <= 2000 && embed.title.length <= 256 && embed.description.length <= 4096)
      assert.ok(JSON.stringify(embeds).length < 6000)
      assert.ok(Buffer.byteLength(JSON.stringify(CHAT_FORMATS.teams(message))) <= 28 * 1024)
      for (const text of [slack.text, content, embed.title]) {
        assert.ok(text.isWellFormed() && !/\u200D(?:…|$)|[\u202A-\u202E]/u.test(text), 'no half of an emoji')
        assert.equal(text.split('\u2068').length, text.split('\u2069').length)
      }
    }
})
