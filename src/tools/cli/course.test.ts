import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '../../operating/exchange/course-testing.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { rowOf, valuesOf } from '../../testing/rows.ts'
import { handupHere } from './testing.ts'

test('a course is made, gets lectures, a member and a category, and is listed', async (t) => {
  const { db, handup } = await aForum(t)
  await aPerson(db, { email: 'mara@example.com' })
  const lectures = await aFile(t, 'position,title\n1,"Hello, you"\n2,안녕\n')

  const made = await handup(
    'course create --private --language ko --time-zone Asia/Seoul --title',
    '코틀린  실전',
  )
  const address = `http://127.0.0.1:3000/courses/${encodeURIComponent('코틀린-실전')}`
  assert.equal(made.output.trim(), `created the course "코틀린 실전" (코틀린-실전): ${address}`)
  assert.equal(made.code, 0)
  assert.match((await handup('course lectures 코틀린-실전', lectures)).output, /has 2 lectures/)
  const member = await handup('course member 코틀린-실전 Mara@Example.com instructor')
  assert.match(member.output, /is instructor/)
  const category = await handup('course category 코틀린-실전', 'Small talk')
  assert.match(category.output, /has the category "Small talk"/)
  const done = await db.selectFrom('audit').select(['act', 'role', 'actor_id']).orderBy('id').execute()
  const acts = ['course-made', 'course-lectures-changed', 'members-added', 'course-categories-changed']
  assert.deepEqual(
    done,
    acts.map((act) => ({ act, role: 'operator', actor_id: null })),
  )

  const list = await handup('course list')
  assert.match(list.output, /private +ko +2 +1 +0 +코틀린-실전 +코틀린 실전/)
  const categories = await db.selectFrom('categories').select('slug').orderBy('position').execute()
  assert.deepEqual(valuesOf(categories, 'slug'), ['questions-and-answers', 'small-talk'])
})

test('a course takes private questions and anonymous posts as it is told', async (t) => {
  const { db, handup } = await aForum(t)
  await handup('course create --title REST')
  const settings = async () => (await handup('course settings rest')).output
  assert.match(await settings(), /private questions on, anonymous posts off/)
  const changed = await handup('course settings rest --private-questions off --anonymous on')
  assert.match(changed.output, /"REST": private questions off, anonymous posts on/)
  const course = await rowOf(db, 'courses', { slug: 'rest' })
  assert.deepEqual([course.allows_private, course.allows_anonymous], [false, true])
  assert.notEqual((await handup('course settings rest --anonymous perhaps')).code, 0)
  assert.match((await handup('course settings nowhere')).output, /there is no course "nowhere"/)
})

test('a course promises an answer within hours, and takes the promise back', async (t) => {
  const { db, handup } = await aForum(t)
  await handup('course create --title REST')
  const promise = (...hours: string[]) => handup('course settings rest', ...hours)
  const promised = async () => (await rowOf(db, 'courses', { slug: 'rest' })).promise_hours
  assert.match((await promise('--promise-hours', '24')).output, /"REST" has a response time goal of 24 h/)
  assert.equal(await promised(), 24)
  assert.match((await promise('--anonymous', 'on')).output, /"REST" has a response time goal of 24 h/)
  for (const wrong of ['0', '1.5', '8761', 'soon', '']) {
    const { code, output } = await promise('--promise-hours', wrong)
    assert.notEqual(code, 0)
    assert.match(output, /--promise-hours must be a whole number from 1 to 8760, or none/)
  }
  assert.equal(await promised(), 24)
  assert.match((await promise('--promise-hours', 'none')).output, /"REST" has no response time goal/)
  assert.equal(await promised(), null)
})

test('a role for an address that nobody confirmed waits, and the command says so', async (t) => {
  const { db, handup } = await aForum(t)
  await aPerson(db, { email: 'prof@example.com', isConfirmed: false })
  await handup('course create --title REST')
  const { code, output } = await handup('course member rest prof@example.com instructor')
  assert.equal(code, 0)
  const waits = /prof@example\.com is not confirmed, so the role instructor of "REST" takes effect when/
  assert.match(output, waits)
  assert.deepEqual(await db.selectFrom('course_members').selectAll().execute(), [])
})

test('the role none takes somebody out of a course', async (t) => {
  const { db, handup } = await aForum(t)
  await aPerson(db, { email: 'mara@example.com' })
  await handup('course create --title REST')
  await handup('course member rest mara@example.com instructor')
  const taken = await handup('course member rest MARA@example.com none')
  assert.equal(taken.code, 0, taken.output)
  assert.match(taken.output, /mara@example\.com has no role in "REST" anymore; it has no instructor now/)
  assert.deepEqual(await db.selectFrom('course_members').selectAll().execute(), [])
  const again = await handup('course member rest mara@example.com none')
  assert.deepEqual([again.code, again.output.trim()], [1, 'handup: mara@example.com has no role in "REST"'])
})

test('what cannot be done gives one clear line and an exit code', async (t) => {
  const { handup } = await aForum(t)
  await handup('course create --title REST')
  const REFUSED: readonly [line: string, last: string, message: RegExp][] = [
    ['create --title', ' ', /--title must have 1 to 150 characters/],
    ['create --title x --slug', 'A b', /try --slug a-b/],
    ['create --title x --slug', 'rest', /there is a course "rest" already/],
    ['create --title x --language', 'de', /--language must be en or ko/],
    ['create --title x --time-zone', 'Mars', /--time-zone must be a time zone/],
    ['member rest nobody@example.com', 'learner', /no one has an account with nobody@example\.com/],
    ['lectures rest', '/nowhere/lectures.csv', /lectures\.csv: ENOENT/],
    ['creat', 'x', /unknown command 'creat' \(Did you mean create\?\) \(--help shows more\)/],
    ['create', '--private', /required option '--title <title>' not specified/],
    ['lectures none', await aFile(t, 'One\n'), /there is no course "none"/],
    ['lectures rest', await aFile(t, '1,One\n1,Two\n'), /line 2: number 1/],
  ]
  for (const [line, last, message] of REFUSED) {
    const { code, output } = await handup(`course ${line}`, last)
    assert.equal(code, 1)
    assert.match(output, message)
    assert.equal(output.trim().split('\n').length, 1, output)
  }
})

test('the sample course is seeded once, and its counters are recounted', async (t) => {
  const { db, handup } = await aForum(t)
  assert.match((await handup('seed')).output, /loaded "RESTful Web Services with Java"/)
  const again = await handup('seed')
  assert.deepEqual([again.code, again.output.trim().split('\n').length], [1, 1])

  assert.match((await handup('recount')).output, /every counter is correct/)
  await db.updateTable('lectures').set({ questions_count: 99 }).where('position', '=', 1).execute()
  const wrong = await handup('recount')
  assert.deepEqual([wrong.code, /lectures\.questions_count +\d+ +99 +\d/.test(wrong.output)], [1, true])
  assert.equal((await handup('recount', '--fix')).code, 0)
  assert.equal((await handup('recount')).code, 0)
})

test('posts are rendered again with progress in plain lines', async (t) => {
  const { db, handup } = await aForum(t)
  await handup('seed')
  assert.match((await handup('rerender')).output, /every post is up to date/)
  await db.updateTable('answers').set({ renderer_version: 0 }).execute()
  const { code, output } = await handup('rerender')
  assert.equal(code, 0)
  assert.match(output, /Rendering answers: 100%\nrendered \d+ posts again/)
})

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  const environment = { DATABASE_URL: url, PORT: '3000', HOST: '127.0.0.1', LOG_LEVEL: 'silent' }
  const handup = (line: string, ...more: string[]) => handupHere(environment, ...line.split(' '), ...more)
  return { db, handup }
}

async function aFile(t: TestContext, content: string): Promise<string> {
  const path = join(await aFolder(t), 'lectures.csv')
  await writeFile(path, content)
  return path
}
