import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { countTry } from '../../database/tries.ts'
import { LIMITS, NEWCOMERS } from '../../kernel/limits.ts'
import { allOperations } from '../../rooms.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { limitsPage } from './page.ts'

const links = (number: number) =>
  Array.from({ length: number }, (_, at) => `https://x${at}.example/ and again https://x${at}.example/`).join(
    ' ',
  )

let signedUp = 0

suite('newcomers', () => {
  const forum = sharedForum()
  beforeEach(() => sql`delete from tries`.execute(forum.db))

  /** Somebody who made an account a moment ago. */
  async function aNewcomer(): Promise<Browser> {
    signedUp += 1
    const browser = visitor(forum.app)
    const fields = {
      display_name: 'New here',
      email: `new-${signedUp}@example.com`,
      password: 'four plain words here',
    }
    assert.equal((await browser.post('/sign-up', fields)).statusCode, 303)
    return browser
  }

  const ask = (browser: Browser, course: MadeCourse, body: string) =>
    browser.post('/questions', { course: course.slug, title: 'Why is that so?', body, tags: '' })

  /** As if everybody who tried something limited had tried it this often. */
  const tried = (often: number) => sql`update tries set count = ${often}`.execute(forum.db)

  test('ask, answer, reply and edit at once, with a few links; with more the form comes back and says why', async () => {
    const course = await aCourse(forum.db)
    const answer = await anAnswer(forum.db, { question: await aQuestion(forum.db, { course }) })
    const browser = await aNewcomer()
    const asked = await ask(browser, course, links(NEWCOMERS.links))
    assert.equal(asked.statusCode, 303)
    const edit = `${String(asked.headers.location).split('/').slice(0, 3).join('/')}/edit`
    const many = links(NEWCOMERS.links + 1)
    for (const [path, fields] of [
      ['/questions', { course: course.slug, title: 'Why is that so?', tags: 'x' }],
      [edit, { title: 'Why is that so?', tags: 'x', version: 1 }],
      [`/questions/${answer.question.id}/answers`, {}],
      [`/questions/${answer.question.id}/replies`, {}],
      [`/answers/${answer.id}/replies`, {}],
    ] as const) {
      const refused = await browser.post(path, { ...fields, body: many })
      assert.equal(refused.statusCode, 422, path)
      assert.match(textOf(refused.body), /On an account’s first day, a post can link to up to 5 addresses/)
      assert.ok(refused.body.includes(many), path)
      assert.equal((await browser.post(path, { ...fields, body: 'https://x.example' })).statusCode, 303, path)
    }
  })

  test('may put addresses into code, and link to the forum itself as often as they like', async () => {
    const browser = await aNewcomer()
    const own = Array.from({ length: 9 }, (_, at) => `${forum.app.config.baseUrl}/questions/${at}`).join(' ')
    const body = `${own}\n\n\`\`\`\n${links(9)}\n\`\`\``
    assert.equal((await ask(browser, await aCourse(forum.db), body)).statusCode, 303)
  })

  test('are slower than others: 429 with everything typed, to be sent again', async () => {
    const course = await aCourse(forum.db)
    const browser = await aNewcomer()
    assert.equal((await ask(browser, course, 'The first question')).statusCode, 303)
    await tried(LIMITS.posting.newcomer.max)
    const answer = await ask(browser, course, 'One too many')
    assert.equal(answer.statusCode, 429)
    assert.ok(Number(answer.headers['retry-after']) > 10 * 60)
    assert.match(textOf(answer.body), /Too many posts for a new account/)
    assert.equal(valueIn(answer.body, 'body'), 'One too many')
    const korean = await browser.post(
      '/questions',
      { course: course.slug, title: 'Why is that so?', body: 'x' },
      { headers: { 'accept-language': 'ko' } },
    )
    assert.match(textOf(korean.body), /새 계정의 글쓰기 제한/)

    const person = await signedIn(forum.app, await aPerson(forum.db))
    assert.equal((await ask(person, course, 'Somebody who is no newcomer')).statusCode, 303)
    await tried(LIMITS.posting.newcomer.max)
    assert.equal((await ask(person, course, 'And again')).statusCode, 303)
  })

  test('together cannot flood a course, nor hold up its members or other courses', async () => {
    const [course, other] = [await aCourse(forum.db), await aCourse(forum.db)]
    assert.equal((await ask(await aNewcomer(), course, 'The first question')).statusCode, 303)
    const another = await aNewcomer()
    await sql`delete from tries`.execute(forum.db)
    await countTry(forum.db, `newcomers of course ${course.id}`, NEWCOMERS.course.window)
    await tried(NEWCOMERS.course.max)
    const refused = await ask(another, course, 'One too many')
    assert.deepEqual([refused.statusCode, valueIn(refused.body, 'body')], [429, 'One too many'])
    const question = await aQuestion(forum.db, { course })
    for (const path of [`/questions/${question.id}/answers`, `/questions/${question.id}/replies`])
      assert.equal((await another.post(path, { body: 'One too many' })).statusCode, 429, path)
    assert.equal((await ask(another, other, 'Elsewhere')).statusCode, 303)
    const member = await signedIn(forum.app, await aMember(forum.db, course))
    assert.equal((await ask(member, course, 'A member')).statusCode, 303)
  })

  test('count once for a post, however often and at whatever once its form is sent', async () => {
    const course = await aCourse(forum.db)
    const question = await aQuestion(forum.db, { course })
    const answer = await anAnswer(forum.db, { question })
    const browser = await aNewcomer()
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
    const key = sql`sha256(convert_to(${`newcomers of course ${course.id}`}, 'UTF8'))`
    await sql`update tries set count = ${NEWCOMERS.course.max} where key = ${key}`.execute(forum.db)
    for (const path of paths)
      assert.equal((await browser.post(path, fields, { token })).statusCode, 303, `${path} leads to its post`)
    const refused = { ...fields, body: 'One too many' }
    for (let sent = 0; sent < 2; sent += 1)
      assert.equal((await browser.post('/questions', refused, { token })).statusCode, 429)
    await sql`update tries set ends_at = now() - interval '1 second' where key = ${key}`.execute(forum.db)
    assert.equal((await browser.post('/questions', refused, { token })).statusCode, 303)
    assert.equal(await counted(), 1, 'once it is posted it counts')
  })

  test('count nothing for a post that could not be written', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const browser = await aNewcomer()
    const token = await browser.token()
    const late = await db.transaction().execute(async (write) => {
      await write
        .updateTable('questions')
        .set({ deleted_at: new Date() })
        .where('id', '=', question.id)
        .execute()
      const sent = browser.post(`/questions/${question.id}/answers`, { body: 'Too late.' }, { token })
      await untilWaiting(db)
      return { sent }
    })
    assert.equal((await late.sent).statusCode, 410)
    assert.equal(await triesOf(db, `newcomers of course ${course.id}`), 0)
  })

  test('are new for a day, and not at all once they look after a course', async () => {
    const course = await aCourse(forum.db)
    const [older, staff] = [await aNewcomer(), await aNewcomer()]
    const { rows } = await sql<{
      id: number
    }>`select id from people where new_until is not null order by id desc limit 2`.execute(forum.db)
    const [staffId = 0, olderId = 0] = rows.map(({ id }) => Number(id))
    assert.equal((await ask(staff, course, links(9))).statusCode, 422)
    await sql`update people set new_until = now() - interval '1 second' where id = ${olderId}`.execute(
      forum.db,
    )
    await sql`update course_members set role = 'assistant' where person_id = ${staffId}`.execute(forum.db)
    await aMember(forum.db, course, 'assistant', { id: staffId, displayName: '', email: '' })
    for (const browser of [older, staff]) assert.equal((await ask(browser, course, links(9))).statusCode, 303)
  })

  test('docs/limits.md is what `npm run --silent handup -- limits > docs/limits.md` writes', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/limits.md'), 'utf8')
    assert.equal(page, limitsPage(allOperations()))
  })
})

async function triesOf(db: Database, name: string): Promise<number> {
  const key = createHash('sha256').update(name).digest()
  const tries = await db.selectFrom('tries').select('count').where('key', '=', key).executeTakeFirst()
  return tries?.count ?? 0
}
