import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'

const TEXT = { title: 'The exam moves to Friday', body: 'It is in the **blue hall** now.' }

suite('announcements', () => {
  const forum = sharedForum()

  async function anAssistant() {
    const course = await aCourse(forum.db)
    const browser = await signedIn(forum.app, await aMember(forum.db, course, 'assistant'))
    const path = `/courses/${course.slug}/announcements`
    const told = async (fields: Record<string, string | number> = {}) => {
      const answer = await browser.post(`${path}/new`, { ...TEXT, ...fields })
      assert.equal(answer.statusCode, 303)
      return String(answer.headers.location)
    }
    return { course, browser, path, told }
  }

  test('are written by staff and read by everybody in the course, who cannot reply', async () => {
    const { course, path, told } = await anAssistant()
    const address = await told()
    assert.match(address, /^\/announcements\/\d+\/the-exam-moves-to-friday$/)
    const page = await visitor(forum.app).get(address)
    assert.match(page.body, /<strong>blue hall<\/strong>/)
    assert.doesNotMatch(page.body, /<textarea|action="[^"]*replies/)
    const korean = await visitor(forum.app).get(address, { 'accept-language': 'ko' })
    assert.match(
      korean.body,
      /<html lang="ko".*<h1 [^>]*lang="en">The exam/s,
      'the page and the text have their own languages',
    )
    assert.match(textOf((await visitor(forum.app).get(path)).body), /The exam moves to Friday/)
    assert.match(
      textOf((await visitor(forum.app).get(`/courses/${course.slug}`)).body),
      /Announcement The exam moves/,
    )
    assert.equal((await visitor(forum.app).get(address.replace(/[^/]+$/, 'x'))).headers.location, address)
    const learner = await signedIn(forum.app, await aMember(forum.db, course))
    assert.equal((await learner.get(`${path}/new`)).statusCode, 403)
    assert.equal((await learner.post(`${path}/new`, TEXT)).statusCode, 403)
  })

  test('are found by search and feed, and stand in no list of questions', async () => {
    const { course, told } = await anAssistant()
    const address = await told({ title: 'A zyxquork exam' })
    await aQuestion(forum.db, { course })
    const guest = visitor(forum.app)
    assert.match((await guest.get('/search?q=zyxquork')).body, new RegExp(`href="${address}"`))
    assert.doesNotMatch(
      (await guest.get('/search?q=zyxquork+is%3Aresolved')).body,
      new RegExp(`href="${address}"`),
    )
    assert.match((await guest.get(`/courses/${course.slug}/feed.atom`)).body, /A zyxquork exam/)
    assert.doesNotMatch(
      (await guest.get(`/questions?course=${course.slug}&status=unresolved&sort=votes`)).body,
      /question-title[^>]*>[^<]*zyxquork/,
    )
    await forum.db.updateTable('courses').set({ is_public: false }).where('id', '=', course.id).execute()
    assert.doesNotMatch((await guest.get('/search?q=zyxquork')).body, new RegExp(address))
    assert.doesNotMatch((await guest.get('/feed.atom')).body, /zyxquork/)
    assert.equal((await guest.get(address)).statusCode, 404)
  })

  test('a correction refers to what it corrects, which points to it', async () => {
    const { browser, path, told } = await anAssistant()
    const first = await told()
    const id = first.split('/')[2] ?? ''
    const form = await browser.get(`${path}/new?corrects=${id}`)
    assert.equal(valueIn(form.body, 'corrects'), id)
    const second = await told({ title: 'No, on Thursday', corrects: id })
    assert.match(textOf((await browser.get(second)).body), /Corrects: The exam moves to Friday/)
    assert.match((await browser.get(first)).body, new RegExp(`href="/announcements/${second.split('/')[2]}"`))
    const elsewhere = await anAssistant()
    const refused = await elsewhere.browser.post(`${elsewhere.path}/new`, { ...TEXT, corrects: id })
    assert.equal(refused.statusCode, 422)
    assert.equal(valueIn(refused.body, 'title'), TEXT.title)
  })

  test('two who edit one at once see both texts', async () => {
    const { course, browser, told } = await anAssistant()
    const address = await told()
    const path = `/announcements/${address.split('/')[2]}/edit`
    const other = await signedIn(forum.app, await aMember(forum.db, course, 'instructor'))
    assert.equal((await other.post(path, { ...TEXT, body: 'Theirs.', version: 1 })).statusCode, 303)
    const conflict = await browser.post(path, { ...TEXT, body: 'Mine.', version: 1 })
    assert.equal(conflict.statusCode, 409)
    assert.match(conflict.body, /Theirs\./)
    assert.equal(valueIn(conflict.body, 'body'), 'Mine.')
    assert.equal(
      (await browser.post(path, { ...TEXT, body: 'Mine.', version: valueIn(conflict.body, 'version') ?? '' }))
        .statusCode,
      303,
    )
    assert.equal((await browser.post(path, { title: '', body: '', version: 1 })).statusCode, 422)
    assert.equal((await browser.post(path, { ...TEXT, body: 'Mine, blindly.' })).statusCode, 409)
    const unchanged = `/announcements/${(await told()).split('/')[2]}/edit`
    assert.equal((await browser.post(unchanged, { ...TEXT, body: 'No version.' })).statusCode, 303)
  })

  test('the same form twice announces once', async () => {
    const { browser, path, course } = await anAssistant()
    const token = await browser.token()
    const answers = await Promise.all([1, 2].map(() => browser.post(`${path}/new`, TEXT, { token })))
    assert.equal(answers[0]?.headers.location, answers[1]?.headers.location)
    const rows = await forum.db
      .selectFrom('announcements')
      .select('id')
      .where('course_id', '=', course.id)
      .execute()
    assert.equal(rows.length, 1)
  })

  test('belong to who wrote them when they take their data', async () => {
    const { course } = await anAssistant()
    const person = await aMember(forum.db, course, 'instructor', await aPerson(forum.db))
    const browser = await signedIn(forum.app, person)
    await browser.post(`/courses/${course.slug}/announcements/new`, TEXT)
    const { announcements } = JSON.parse((await browser.get('/settings/account/data')).body)
    assert.deepEqual([announcements.length, announcements[0].body], [1, TEXT.body])
  })
})
