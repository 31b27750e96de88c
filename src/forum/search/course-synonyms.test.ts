import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'

suite('words that mean the same in a course', () => {
  const forum = sharedForum()
  const settings = (course: MadeCourse) => `/courses/${course.slug}/settings`

  async function save(browser: Browser, course: MadeCourse, synonyms: string) {
    const version = valueIn((await browser.get(settings(course))).body, 'version') ?? ''
    return browser.post(settings(course), { section: 'asking', version, synonyms })
  }

  test('are found by each other there, searched and similar, from the moment they are saved', async () => {
    const { db, app } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    const [itself, alike, elsewhere] = [
      await aQuestion(db, { course, title: '콘서트 좌석이 사라집니다' }),
      await aQuestion(db, { course, title: 'A zyxgig vanishes at night' }),
      await aQuestion(db, { course: other, title: 'Another zyxgig vanishes' }),
    ]
    const kube = await aQuestion(db, { course, title: 'Restarting a zyxkube' })
    const similarTo = async (title: string) => {
      const { body } = await instructor.get(`/questions/similar?course=${course.slug}&title=${title}`)
      return JSON.parse(body).similar.map((one: { title: string }) => one.title)
    }
    assert.deepEqual(await similarTo('zyxpod'), [])
    const inCourse = `콘서트 course:${course.slug}`
    assert.doesNotMatch(await found(instructor, inCourse), /zyxgig/)
    const saved = await save(instructor, course, 'Zyxgig = 콘서트\n\nzyxpod=zyxkube=파드')
    assert.equal(saved.headers.location, `${settings(course)}#asking`)
    const page = await found(instructor, inCourse)
    assert.ok(page.includes(itself.title) && page.includes(alike.title))
    assert.ok(page.indexOf(itself.title) < page.indexOf(alike.title), 'the word itself first')
    const marked = (await instructor.get(`/search?q=${encodeURIComponent(inCourse)}`)).body
    assert.match(marked, /<mark>zyxgig<\/mark>/)
    for (const query of ['콘서트', `콘서트 course:${other.slug}`])
      assert.ok(!(await found(instructor, query)).includes(elsewhere.title), query)
    assert.deepEqual(await similarTo('zyxpod'), [kube.title])
    assert.deepEqual(await similarTo('파드에서'), [kube.title])
  })

  test('are single words, a bounded number of them, and what was typed stays', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    for (const [typed, error] of [
      ['pod = 파드\npod', 'Check line 2'],
      ['two words = 파드', 'Check line 1'],
      ['pod = ', 'Check line 1'],
      ['= = =', 'Check line 1'],
      ['a=b\n'.repeat(101), 'Check line 101'],
      ['abcdefghij = k\n'.repeat(300), 'Enter up to 4,000 characters'],
    ] as const) {
      const refused = await save(instructor, course, typed)
      assert.equal(refused.statusCode, 422, typed)
      assert.ok(textOf(refused.body).includes(error), error)
      assert.equal(valueIn(refused.body, 'synonyms')?.trim(), typed.trim())
    }
    const learner = await signedIn(app, await aMember(db, course))
    assert.equal((await learner.post(settings(course), { section: 'asking', version: '1' })).statusCode, 403)
  })
})

test('another process has what was saved, and a copy of the course takes it along', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const other = connect(url)
  t.after(() => other.destroy())
  const course = await aCourse(db)
  const question = await aQuestion(db, { course, title: 'A zyxgig vanishes' })
  const app = await testApp(t, other)
  const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
  await setRows(db, 'courses', course.id, { synonyms: '콘서트 = zyxgig' })
  assert.ok((await found(instructor, `콘서트 course:${course.slug}`)).includes(question.title))
  await instructor.post(`/courses/${course.slug}/copy`, { title: 'Again' })
  const rows = await db.selectFrom('courses').select('synonyms').orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ synonyms }) => synonyms),
    ['콘서트 = zyxgig', '콘서트 = zyxgig'],
  )
})

async function found(browser: Browser, query: string): Promise<string> {
  return textOf((await browser.get(`/search?q=${encodeURIComponent(query)}`)).body)
}
