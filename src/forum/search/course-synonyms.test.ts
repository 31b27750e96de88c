import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { readGroups } from '../../text/words/synonyms.ts'
import { courseCopy } from '../course-settings/copy.ts'
import { settingsChange } from '../course-settings/operations.ts'
import { similarTo, titlesFound } from './testing.ts'

suite('words that mean the same in a course', () => {
  const forum = sharedForum()
  const anInstructor = async () => {
    const course = await aCourse(forum.db)
    return { course, instructor: await aMember(forum.db, course, 'instructor') }
  }
  const inCourse = (text: string, { slug }: MadeCourse) => titlesFound(forum.db, `${text} course:${slug}`)

  test('are found by each other there, searched and similar, from the moment they are saved', async () => {
    const { db, app } = forum
    const { course, instructor } = await anInstructor()
    const other = await aCourse(db)
    const [itself, alike] = ['콘서트 좌석이 사라집니다', 'A zyxgig vanishes at night']
    const kube = 'Restarting a zyxkube'
    for (const title of [itself, alike, kube]) await aQuestion(db, { course, title })
    await aQuestion(db, { course: other, title: 'Another zyxgig vanishes' })
    const similar = async (title: string) =>
      (await similarTo(db, course, title)).map((question) => question.title)
    assert.deepEqual(await similar('zyxpod'), [])
    assert.deepEqual(await inCourse('콘서트', course), [itself])

    const browser = await signedIn(app, instructor)
    const settings = `/courses/${course.slug}/settings`
    const version = valueIn((await browser.get(settings)).body, 'version') ?? ''
    const synonyms = 'Zyxgig = 콘서트\n\nzyxpod=zyxkube=파드'
    const saved = await browser.post(settings, { section: 'asking', version, synonyms })
    assert.equal(saved.headers.location, `${settings}#asking`)
    assert.deepEqual(await inCourse('콘서트', course), [itself, alike], 'the word itself first')
    const path = `/search?q=${encodeURIComponent('콘서트')}&course=${course.slug}`
    assert.match((await visitor(app).get(path)).body, /<mark>zyxgig<\/mark>/)
    assert.deepEqual([await titlesFound(db, '콘서트'), await inCourse('콘서트', other)], [[itself], []])
    for (const title of ['zyxpod', '파드에서']) assert.deepEqual(await similar(title), [kube], title)
  })

  test('are single words, a bounded number of them', async () => {
    for (const typed of ['two words = 파드', 'pod = ', '= = ='])
      assert.deepEqual(readGroups(typed), { wrongLine: 1 }, typed)
    assert.deepEqual(readGroups('pod = 파드\npod'), { wrongLine: 2 })
    assert.deepEqual(readGroups('a=b\n'.repeat(101)), { wrongLine: 101 })
    const { course, instructor } = await anInstructor()
    const [wrong, long] = ['wrong', 'long'].map((why) => `synonyms: courseSettings.synonyms.${why}`)
    await refuses(forum, settingsChange, { actor: instructor, key: course.slug }, [
      [{ synonyms: 'pod = ' }, `${wrong}`],
      [{ synonyms: 'a=b\n'.repeat(1001) }, `${long}, ${wrong}`],
    ])
  })

  test('that are wrong are shown as they were typed, with their line', async () => {
    const { course, instructor } = await anInstructor()
    const browser = await signedIn(forum.app, instructor)
    const typed = { section: 'asking', version: '1', synonyms: 'pod = 파드\npod' }
    const refused = await browser.post(`/courses/${course.slug}/settings`, typed)
    assert.ok(textOf(refused.body).includes('Check line 2'))
    assert.equal(valueIn(refused.body, 'synonyms'), typed.synonyms)
  })
})

test('another process has what was saved, and a copy of the course takes it along', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const other = connect(url)
  t.after(() => other.destroy())
  const course = await aCourse(db)
  const question = await aQuestion(db, { course, title: 'A zyxgig vanishes' })
  const actor = await aMember(db, course, 'instructor')
  const synonyms = '콘서트 = zyxgig'
  await setRows(db, 'courses', course.id, { synonyms })
  assert.deepEqual(await titlesFound(other, `콘서트 course:${course.slug}`), [question.title])
  await act({ db }, courseCopy, { actor, key: course.slug, input: { title: 'Again' } })
  assert.equal((await rowOf(db, 'courses', { title: 'Again' })).synonyms, synonyms)
})
