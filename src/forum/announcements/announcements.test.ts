import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { announcementPath } from '../../web/paths.ts'
import { documentVector } from '../search/document.ts'
import { announcementEdit, postAnnouncement, termsOfNews } from './announcement.ts'

const TEXT = { title: 'The exam moves to Friday', body: 'It is in the **blue hall** now.' }

suite('announcements', () => {
  const forum = sharedForum()

  async function anAssistant() {
    const course = await aCourse(forum.db)
    const person = await aMember(forum.db, course, 'assistant')
    const by = { actor: person, key: course.slug }
    const tell = async (input: Record<string, string> = {}) => {
      const { id, title } = await act(forum, postAnnouncement, { ...by, input: { ...TEXT, ...input } })
      return { id, address: announcementPath({ id, title }), form: `/announcements/${id}/edit` }
    }
    const browser = await signedIn(forum.app, person)
    return { course, person, by, browser, path: `/courses/${course.slug}/announcements`, tell }
  }

  test('are written by staff and read by everybody in the course, who cannot reply', async () => {
    const { course, browser, path } = await anAssistant()
    const address = String((await browser.post(`${path}/new`, TEXT)).headers.location)
    assert.match(address, /^\/announcements\/\d+\/the-exam-moves-to-friday$/)
    const guest = visitor(forum.app)
    const page = await guest.get(address)
    assert.match(page.body, /<strong>blue hall<\/strong>/)
    assert.doesNotMatch(page.body, /<textarea|action="[^"]*replies/)
    const korean = await guest.get(address, { 'accept-language': 'ko' })
    // The page and the text have their own languages.
    assert.match(korean.body, /<html lang="ko".*<h1 [^>]*lang="en">The exam/s)
    assert.match(textOf((await guest.get(path)).body), /The exam moves to Friday/)
    assert.match(textOf((await guest.get(`/courses/${course.slug}`)).body), /Announcement The exam moves/)
    assert.equal((await guest.get(address.replace(/[^/]+$/, 'x'))).headers.location, address)
  })

  test('are found by search and feed, and stand in no list of questions', async () => {
    const { course, tell } = await anAssistant()
    const { address } = await tell({ title: 'A zyxquork exam' })
    await aQuestion(forum.db, { course })
    const guest = visitor(forum.app)
    const page = async (path: string) => (await guest.get(path)).body
    const link = new RegExp(`href="${address}"`)
    assert.match(await page('/search?q=zyxquork'), link)
    assert.doesNotMatch(await page('/search?q=zyxquork+is%3Aresolved'), link)
    assert.match(await page(`/courses/${course.slug}/feed.atom`), /A zyxquork exam/)
    const list = await page(`/questions?course=${course.slug}&status=unresolved&sort=votes`)
    assert.doesNotMatch(list, /question-title[^>]*>[^<]*zyxquork/)
    await forum.db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute()
    assert.doesNotMatch(await page('/search?q=zyxquork'), link)
    assert.doesNotMatch(await page('/feed.atom'), /zyxquork/)
    assert.equal((await guest.get(address)).statusCode, 404)
  })

  test('a correction refers to what it corrects, which points to it', async () => {
    const { browser, path, tell } = await anAssistant()
    const first = await tell()
    const corrects = String(first.id)
    const form = await browser.get(`${path}/new?corrects=${corrects}`)
    assert.equal(valueIn(form.body, 'corrects'), corrects)
    const second = await tell({ title: 'No, on Thursday', corrects })
    assert.match(textOf((await browser.get(second.address)).body), /Corrects: The exam moves to Friday/)
    assert.match((await browser.get(first.address)).body, new RegExp(`href="/announcements/${second.id}"`))
    const { by } = await anAssistant()
    const elsewhere = { ...by, input: { ...TEXT, corrects } }
    const refusal = 'title: announcements.corrects.unknown'
    assert.equal(await refusalOf(forum, postAnnouncement, elsewhere), refusal)
  })

  test('two who edit one at once see both texts', async () => {
    const { course, person, browser, tell } = await anAssistant()
    const { id: key, form } = await tell()
    const edit = (actor: { id: number }, input: object) =>
      refusalOf(forum, announcementEdit, { actor, key, input: { ...TEXT, ...input } })
    const other = await aMember(forum.db, course, 'instructor')
    assert.equal(await edit(person, { body: 'No version.' }), 'done')
    assert.equal(await edit(other, { body: 'Theirs.', version: 2 }), 'done')
    const conflict = await browser.post(form, { ...TEXT, body: 'Mine.', version: 2 })
    assert.equal(conflict.statusCode, 409)
    assert.match(conflict.body, /Theirs\./)
    assert.equal(valueIn(conflict.body, 'body'), 'Mine.')
    assert.equal(await edit(person, { body: 'Mine, blindly.' }), 'edited-meanwhile')
    assert.equal(await edit(person, { body: 'Mine.', version: valueIn(conflict.body, 'version') }), 'done')
  })

  test('belong to who wrote them when they take their data', async () => {
    const { browser, tell } = await anAssistant()
    await tell()
    const { announcements } = JSON.parse((await browser.get('/settings/account/data')).body)
    assert.deepEqual([announcements.length, announcements[0].body], [1, TEXT.body])
  })
})

test('the terms of a long announcement, which a thread makes, are those that are made in place', async () => {
  for (const length of [1000, 30_000]) {
    const words = Array.from({ length }, (_, number) => `word${number}-${number * 7}x`)
    const body = words.join(' ').slice(0, length)
    const made = documentVector({ title: 'Room', tags: [], acceptedAnswer: null, others: [body] })
    assert.equal(await termsOfNews({ title: 'Room', body }), made)
  }
})
