import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../database/schema.ts'
import { type Browser, signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'

suite('people whom a text could mention', () => {
  const forum = sharedForum()
  const named = async (course: MadeCourse, displayName: string, role: Role = 'learner') =>
    aMember(forum.db, course, role, await aPerson(forum.db, { displayName }))
  const found = async (as: Browser, path: string, beginning: string) => {
    const answer = await as.get(`/mentions/${path}?q=${encodeURIComponent(beginning)}`)
    assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [200, 'private, no-store'])
    return Array.from(answer.body.matchAll(/data-name="([^"]*)"/g), ([, name]) => name)
  }

  test('are those of the thread and the staff first, and members by the beginning of a name', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [me, author] = [await named(course, 'Kim Me'), await named(course, 'Kim Dana')]
    await named(course, 'Ada Kim', 'instructor')
    await named(course, 'Kim Absent')
    const question = await aQuestion(db, { course, author })
    const browser = await signedIn(app, me)
    const path = `questions/${question.id}`
    for (const [beginning, ...names] of [
      ['', 'Kim Dana', 'Ada Kim'],
      ['ki', 'Kim Dana', 'Ada Kim', 'Kim Absent'],
      ['kim a', 'Kim Absent'],
      // Not in the middle of a word.
      ['im'],
      ['%', 'Kim Dana', 'Ada Kim'],
    ] as const)
      assert.deepEqual(await found(browser, path, beginning), names, beginning)
    const members = await found(browser, `courses/${course.slug}`, 'ki')
    assert.deepEqual(members, ['Ada Kim', 'Kim Absent', 'Kim Dana'])
    const stranger = await signedIn(app, await aPerson(db))
    assert.deepEqual(await found(stranger, path, 'ki'), ['Kim Dana', 'Ada Kim'], 'no list of members')
    assert.match(textOf((await browser.get(`/mentions/${path}?q=ada`)).body), /Ada Kim Instructor/)
  })

  test('are found by Korean syllables that are still being typed, and eight at most', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const me = await signedIn(app, await named(course, '나'))
    for (let n = 0; n < 9; n += 1) await named(course, `김민${n}`)
    const path = `courses/${course.slug}`
    for (const typed of ['ㄱ', '기', '김', '김ㅁ', '김민'])
      assert.equal((await found(me, path, typed)).length, 8, typed)
    assert.deepEqual(await found(me, path, '김민8'), ['김민8'])
    assert.deepEqual(await found(me, path, '민'), [])
  })

  test('are found by their given names in Korean', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const me = await signedIn(app, await named(course, '나'))
    for (const name of ['최하린', '남궁하은', '하늘', '김 하나', 'Hana 최하']) await named(course, name)
    const path = `courses/${course.slug}`
    const everyone = ['Hana 최하', '김 하나', '남궁하은', '최하린', '하늘']
    assert.deepEqual((await found(me, path, '하')).toSorted(), everyone.slice(1))
    assert.deepEqual(await found(me, path, '하ㄹ'), ['최하린'])
    assert.deepEqual(await found(me, path, '하은'), ['남궁하은'])
    assert.deepEqual(await found(me, path, '린'), [], 'not in the middle')
    const question = await aQuestion(db, { course })
    assert.deepEqual(await found(me, `questions/${question.id}`, '하린'), ['최하린'])
  })

  test('come with what calls the staff, also while its last syllable is being typed', async () => {
    const course = await aCourse(forum.db)
    const me = await signedIn(forum.app, await named(course, '나'))
    const call = async (typed: string) => {
      const { body } = await me.get(`/mentions/courses/${course.slug}?q=${encodeURIComponent(typed)}`)
      return /data-call="([^"]*)"/.exec(body)?.[1]
    }
    for (const [typed, word] of Object.entries({
      Staf: 'staff',
      강사: '강사진',
      강사지: '강사진',
      우: '운영진',
    }))
      assert.equal(await call(typed), word, typed)
    for (const typed of ['staffs', '강사님', 'x']) assert.equal(await call(typed), undefined, typed)
  })

  test('never have the name of somebody who wrote without it', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const hidden = await named(course, 'Zyxhidden')
    const question = await aQuestion(db, { course, author: hidden, isAnonymous: true })
    await anAnswer(db, { question, author: hidden, isAnonymous: true })
    const me = await signedIn(app, await aMember(db, course))
    assert.deepEqual(await found(me, `questions/${question.id}`, ''), [])
    assert.deepEqual(await found(me, `questions/${question.id}`, 'zyx'), ['Zyxhidden'], 'as any member')
    await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
    assert.deepEqual(await found(me, `questions/${question.id}`, 'zyx'), [])
  })

  test('of a private question are those who read it', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, staff] = [await named(course, 'Zyx Asker'), await named(course, 'Zyx Staff', 'assistant')]
    await named(course, 'Zyx Mate')
    const path = `questions/${(await aQuestion(db, { course, author, audience: 'staff' })).id}`
    assert.deepEqual(await found(await signedIn(app, author), path, 'zyx'), ['Zyx Staff'])
    assert.deepEqual(await found(await signedIn(app, staff), path, 'zyx'), ['Zyx Asker'])
  })
})
