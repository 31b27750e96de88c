import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'

suite('a course in which nobody has asked yet', () => {
  const forum = sharedForum()

  async function welcome(slug: string, language = 'en'): Promise<string> {
    const page = await visitor(forum.app).get(`/courses/${slug}`, { 'accept-language': language })
    return textOf(/<div class="empty">[\s\S]*?<\/div>/.exec(page.body)?.[0] ?? '')
  }

  test('names who answers, and says where one may hide one’s name', async () => {
    const course = await aCourse(forum.db)
    assert.match(await welcome(course.slug), /Questions are answered by course staff/)
    await aMember(forum.db, course, 'assistant', await aPerson(forum.db, { displayName: 'Jun Tanaka' }))
    assert.match(await welcome(course.slug), /answered by Jun Tanaka/)
    await aMember(forum.db, course, 'instructor', await aPerson(forum.db, { displayName: 'Mara Ilić' }))
    const named = await welcome(course.slug)
    assert.match(named, /answered by Mara Ilić and Jun Tanaka\. *Ask the first question$/)
    await setRows(forum.db, 'courses', course.id, { allows_anonymous: true })
    assert.match(await welcome(course.slug), /You can post anonymously\.$/)
    assert.match(await welcome(course.slug, 'ko'), /답변 담당: Mara Ilić, Jun Tanaka/)
  })

  test('says so no more once there is a question', async () => {
    const course = await aCourse(forum.db)
    await aMember(forum.db, course, 'instructor')
    await aQuestion(forum.db, { course })
    assert.equal(await welcome(course.slug), '')
  })
})
