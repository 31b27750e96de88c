import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { PASSWORD } from '../../accounts/testing.ts'
import type { Database } from '../../database/schema.ts'
import { postAnswer } from '../../forum/answers/operations.ts'
import { editQuestion } from '../../forum/questions/edit-operations.ts'
import { askQuestion } from '../../forum/questions/operations.ts'
import { replyToAnswer, replyToQuestion } from '../../forum/replies/operations.ts'
import { LIMITS, NEWCOMERS } from '../../kernel/limits.ts'
import { allOperations } from '../../rooms.ts'
import { refusalOf, refuses } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  aNewcomer,
  anAnswer,
  aPerson,
  aQuestion,
  type MadeCourse,
} from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { limitsPage } from './page.ts'

const links = (number: number) =>
  Array.from({ length: number }, (_, at) => `https://x${at}.example/ again https://x${at}.example/`).join(' ')

suite('newcomers', () => {
  const forum = sharedForum()
  beforeEach(() => sql`delete from tries`.execute(forum.db))

  const TITLE = { title: 'Why is that so?', tags: 'x' }
  const asks = (actor: { readonly id: number }, { slug: key }: MadeCourse, body: string) =>
    refusalOf(forum, askQuestion, { actor, key, input: { ...TITLE, body } })
  const ask = (browser: Browser, course: MadeCourse, body: string) =>
    browser.post('/questions', { ...TITLE, course: course.slug, body })

  /** As if everybody who tried something limited had tried it this often. */
  const tried = (often: number) => sql`update tries set count = ${often}`.execute(forum.db)

  test('ask, answer, reply and edit at once, with a few links; with more the form comes back and says why', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question })
    const actor = await aNewcomer(forum.db)
    const { id } = await aQuestion(db, { course, author: actor })
    const many = links(NEWCOMERS.links + 1)
    const table = [
      [{ ...TITLE, version: '1', body: many }, 'body: posts.body.links'],
      [{ ...TITLE, version: '1', body: links(NEWCOMERS.links) }, 'done'],
    ] as const
    await refuses(forum, askQuestion, { actor, key: course.slug }, table)
    await refuses(forum, editQuestion, { actor, key: id }, table)
    await refuses(forum, postAnswer, { actor, key: question.id }, table)
    await refuses(forum, replyToQuestion, { actor, key: question.id }, table)
    await refuses(forum, replyToAnswer, { actor, key: answer.id }, table)
    const refused = await ask(await signedIn(app, actor), course, many)
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /On an account’s first day, a post can link to up to 5 addresses/)
    assert.equal(valueIn(refused.body, 'body'), many)
  })

  test('may put addresses into code, and link to the forum itself as often as they like', async () => {
    const own = Array.from({ length: 9 }, (_, at) => `${forum.app.config.baseUrl}/questions/${at}`).join(' ')
    const body = `${own}\n\n\`\`\`\n${links(9)}\n\`\`\``
    assert.equal(await asks(await aNewcomer(forum.db), await aCourse(forum.db), body), 'done')
  })

  test('are slower than others: 429 with everything typed, to be sent again', async () => {
    const course = await aCourse(forum.db)
    const browser = await signedIn(forum.app, await aNewcomer(forum.db))
    assert.equal((await ask(browser, course, 'The first question')).statusCode, 303)
    await tried(LIMITS.posting.newcomer.max)
    const answer = await ask(browser, course, 'One too many')
    assert.equal(answer.statusCode, 429)
    assert.ok(Number(answer.headers['retry-after']) > 10 * 60)
    assert.match(textOf(answer.body), /Too many posts for a new account/)
    assert.equal(valueIn(answer.body, 'body'), 'One too many')
    const korean = { headers: { 'accept-language': 'ko' } }
    assert.match(textOf((await browser.post('/questions', {}, korean)).body), /새 계정의 글쓰기 제한/)

    const person = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await ask(person, course, 'Somebody who is no newcomer')).statusCode, 303)
    await tried(LIMITS.posting.newcomer.max)
    assert.equal((await ask(person, course, 'And again')).statusCode, 303)
  })

  test('together cannot flood a course, nor hold up its members or other courses', async () => {
    const { app, db } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    assert.equal(await asks(await aNewcomer(forum.db), course, 'The first question'), 'done')
    assert.equal(await triesOf(db, `newcomers of course ${course.id}`), 1)
    await tried(NEWCOMERS.course.max)
    const actor = await aNewcomer(forum.db)
    const refused = await ask(await signedIn(app, actor), course, 'One too many')
    assert.deepEqual([refused.statusCode, valueIn(refused.body, 'body')], [429, 'One too many'])
    const { id: key } = await aQuestion(db, { course })
    for (const operation of [postAnswer, replyToQuestion])
      await refuses(forum, operation, { actor, key }, [[{ body: 'One too many' }, 'firstDay']])
    assert.equal(await asks(actor, other, 'Elsewhere'), 'done')
    assert.equal(await asks(await aMember(db, course), course, 'A member'), 'done')
  })

  test('count once for a post, however often and at whatever once its form is sent', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course })
    const answer = await anAnswer(forum.db, { question })
    const browser = await signedIn(forum.app, await aNewcomer(forum.db))
    const token = await browser.token()
    const fields = { course: course.slug, title: 'Why is that so?', body: 'The same form', tags: '' }
    const paths = [
      '/questions',
      `/questions/${question.id}/answers`,
      `/questions/${question.id}/replies`,
      `/answers/${answer.id}/replies`,
    ]
    const counted = async () => triesOf(forum.db, `newcomers of course ${course.id}`)
    for (const [before, path] of paths.entries()) {
      const send = () => browser.post(path, fields, { token })
      const answers = [...(await Promise.all([1, 2, 3, 4, 5].map(send))), await send()]
      assert.equal(new Set(answers.map(({ headers }) => headers.location)).size, 1, path)
      assert.equal(await counted(), before + 1, path)
    }
    const key = keyOf(`newcomers of course ${course.id}`)
    await setRows(forum.db, 'tries', { key }, { count: NEWCOMERS.course.max })
    for (const path of paths)
      assert.equal((await browser.post(path, fields, { token })).statusCode, 303, `${path} leads to its post`)
    const refused = { ...fields, body: 'One too many' }
    for (let sent = 0; sent < 2; sent += 1)
      assert.equal((await browser.post('/questions', refused, { token })).statusCode, 429)
    await setRows(forum.db, 'tries', { key }, { ends_at: sql`now() - interval '1 second'` })
    assert.equal((await browser.post('/questions', refused, { token })).statusCode, 303)
    assert.equal(await counted(), 1, 'once it is posted it counts')
  })

  test('count nothing for a post that could not be written', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const browser = await signedIn(forum.app, await aNewcomer(forum.db))
    const token = await browser.token()
    const late = await db.transaction().execute(async (write) => {
      await setRows(write, 'questions', question.id, { deleted_at: new Date() })
      const sent = browser.post(`/questions/${question.id}/answers`, { body: 'Too late.' }, { token })
      await untilWaiting(db)
      return { sent }
    })
    assert.equal((await late.sent).statusCode, 410)
    assert.equal(await triesOf(db, `newcomers of course ${course.id}`), 0)
  })

  test('are new for a day, and not at all once they look after a course', async () => {
    const { app, db } = forum
    const course = await aCourse(db)
    const fields = { display_name: 'New here', email: 'new@example.com', password: PASSWORD }
    assert.equal((await visitor(app).post('/sign-up', fields)).statusCode, 303)
    const [older, staff] = [await rowOf(db, 'people', { email: fields.email }), await aNewcomer(forum.db)]
    for (const person of [older, staff])
      assert.equal(await asks(person, course, links(9)), 'body: posts.body.links')
    await setRows(db, 'people', older.id, { new_until: sql`new_until - interval '1 day'` })
    await aMember(db, course, 'assistant', staff)
    for (const person of [older, staff]) assert.equal(await asks(person, course, links(9)), 'done')
  })

  test('docs/limits.md is what `npm run --silent handup -- limits > docs/limits.md` writes', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')
    assert.equal(page, limitsPage(allOperations()))
  })
})

const keyOf = (name: string) => createHash('sha256').update(name).digest()

async function triesOf(db: Database, name: string): Promise<number> {
  const [tries] = await rowsOf(db, 'tries', { key: keyOf(name) })
  return tries?.count ?? 0
}
