import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { aToken } from '../accounts/tokens/testing.ts'
import { makeReplyAddress } from '../forum/answering-by-mail/keys.ts'
import { readMail } from '../forum/answering-by-mail/read-mail.ts'
import { receiveMail } from '../forum/answering-by-mail/receive.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { within } from '../testing/within.ts'
import { hostilePosts } from '../text/markdown/hostile-posts-testing.ts'
import { render } from '../text/markdown/pipeline.ts'
import { isLaborious, prepareMarkdown } from '../text/markdown.ts'

let made = 0

/** A text that takes long to render: each another one. */
function laborious(): string {
  made += 1
  return `${`$x_${made}^2$ **a** \`b\` | `.repeat(1_000)}the end`
}

/** Whether a text is rendered already: what is known needs no turn of the event loop. */
const isKnown = (text: string) => Promise.race([prepareMarkdown([text]).then(() => true), nextTurn(false)])

suite('Markdown', () => {
  const forum = sharedForum()

  test('is rendered in a thread, to the same HTML: a long text, and many short ones', async () => {
    const texts = Object.values(hostilePosts).flatMap(([first = '']) => [first])
    const rendered = await prepareMarkdown(texts)
    assert.deepEqual(
      rendered.map(({ html }) => html),
      texts.map((text) => render(text)),
    )
    const many = Array.from({ length: 300 }, (_, number) => `Short $x_${number}$, with \`code\`.`)
    assert.ok(many.every((text) => !isLaborious(text)))
    const pending = prepareMarkdown(many)
    assert.equal(await Promise.race([pending.then(() => true), nextTurn(false)]), false)
    assert.equal((await pending)[7]?.html, render(many[7] ?? ''))
  })

  test('is rendered before any door waits for the question that it is about', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const author = await aMember(db, course)
    const staff = await aMember(db, course, 'instructor')
    const question = await aQuestion(db, { course, author })
    const answer = await anAnswer(db, { question, author })
    const browser = await signedIn(app, author)
    const staffBrowser = await signedIn(app, staff)
    const token = await aToken(forum, author, ['read', 'write'])
    const to = await within(db, makeReplyAddress, 'reply@forum.example', author.id, question.id, {
      kind: 'question',
      id: question.id,
    })
    const receiver = { replyAddress: 'reply@forum.example', baseUrl: 'https://forum.example', log: () => {} }
    const doors: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
      'a form': (body) => browser.post(`/questions/${question.id}/answers`, { body }),
      'a program': async (body) =>
        app.inject({
          method: 'PATCH',
          url: `/api/v1/questions/${question.id}`,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' },
          payload: JSON.stringify({ body }),
        }),
      async 'an email'(body) {
        const head = [`From: <${author.email}>`, `To: <${to}>`, 'Message-ID: <m1@x.example>']
        const source = [...head, 'Content-Type: text/plain; charset=utf-8', '', body].join('\r\n')
        const mail = await readMail(Buffer.from(source))
        return receiveMail(db, { ...receiver, keys: ['x'.repeat(32)] }, mail)
      },
      async 'bringing back an earlier version'(body) {
        await db.updateTable('answers').set({ version: 2 }).where('id', '=', answer.id).execute()
        await db
          .insertInto('post_versions')
          .values({ answer_id: answer.id, version: 1, body, written_by: author.id, written_at: new Date() })
          .execute()
        return staffBrowser.post(`/answers/${answer.id}/history/1/restoration`)
      },
    }
    for (const [door, send] of Object.entries(doors)) {
      const text = laborious()
      assert.ok(isLaborious(text) && text.length <= 30_000)
      const lock = await db.startTransaction().execute()
      await lock.selectFrom('questions').select('id').where('id', '=', question.id).forUpdate().execute()
      const sent = send(text)
      await untilWaiting(db)
      assert.ok(await isKnown(text), door)
      await lock.rollback().execute()
      await sent
      const posts = await sql<{ body: string }>`
        select body from questions union all select body from answers union all select body from replies`.execute(
        db,
      )
      assert.ok(
        posts.rows.some(({ body }) => body === text),
        door,
      )
    }
  })
})
