import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { anAsker } from './testing.ts'

suite('where Ask leads', () => {
  const forum = sharedForum()

  test('a fruitless search becomes the title, and its filters the course, the lecture and the tags', async () => {
    const { course, browser } = await anAsker(forum)
    const typed = `"zyx quux" frobs tag:rest lecture:2 course:${course.slug} -spring`
    const page = await browser.get(`/search?q=${encodeURIComponent(typed)}`)
    const form = await browser.get(askLink(page.body))
    assert.equal(valueIn(form.body, 'title'), 'zyx quux frobs')
    assert.equal(valueIn(form.body, 'tags'), 'rest')
    assert.match(form.body, /<option value="2" selected/)
  })

  test('a tag’s and a lecture’s page bring them along, also by way of the choice of a course', async () => {
    const { course, browser } = await anAsker(forum)
    await aCourse(forum.db)
    await aQuestion(forum.db, { course, tags: ['paging'] })
    const lecture = await browser.get(`/courses/${course.slug}?lecture=2`)
    assert.match((await browser.get(askLink(lecture.body))).body, /<option value="2" selected/)
    const tag = await browser.get('/tags/paging')
    const choice = await browser.get(askLink(tag.body))
    const chosen = linksIn(choice.body).find((path) => path.includes(`course=${course.slug}&`)) ?? ''
    assert.equal(valueIn((await browser.get(chosen)).body, 'tags'), 'paging')
  })

  test('"Mine" and a lecture without questions say so, and offer to ask', async () => {
    const { course, browser } = await anAsker(forum)
    const mine = await browser.get('/questions?mine=1')
    assert.match(textOf(mine.body), /You haven’t asked anything here yet/)
    const lecture = await browser.get(`/courses/${course.slug}?lecture=2`)
    assert.match(textOf(lecture.body), /No questions about this lecture yet/)
    assert.match(lecture.body, /class="empty">[\s\S]*href="\/questions\/new\?course=[^"]*lecture=2"/)
  })
})

/** The last link to the ask form: the one in the page, not the masthead's. */
function askLink(body: string): string {
  return linksIn(body).findLast((path) => path.startsWith('/questions/new')) ?? ''
}

function linksIn(body: string): string[] {
  return Array.from(body.matchAll(/ href="([^"]+)"/g), ([, path = '']) => path.replaceAll('&amp;', '&'))
}
