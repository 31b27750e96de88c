import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aText, deleteAnswer, deleteQuestion } from '../../testing/posts.ts'
import { setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { editQuestion } from '../questions/commands.ts'
import { type ReadFeed, readFeed } from './feed-testing.ts'

/** The forum's address in tests. */
const HERE = 'http://localhost:3000'

suite('feeds', () => {
  const forum = sharedForum()
  const feedAt = async (path: string): Promise<ReadFeed> => {
    const answer = await visitor(forum.app).get(path)
    assert.equal(answer.statusCode, 200, path)
    assert.equal(answer.headers['content-type'], 'application/atom+xml; charset=utf-8')
    return readFeed(answer.body)
  }
  const titlesAt = async (path: string) => (await feedAt(path)).entries.map(({ title }) => title)

  test('of the forum, a course, a tag and a question say where they are and lead to the same page', async () => {
    const { db } = forum
    const course = await aCourse(db, { title: 'Servers' })
    const question = await aQuestion(db, { course, title: 'Which port?', tags: ['c++'] })
    const answer = await anAnswer(db, { question })
    const page = `${HERE}${questionPath(question)}`
    const feeds = [
      ['/feed.atom', 'Questions · Handup', `${HERE}/questions`, page],
      [`/courses/${course.slug}/feed.atom`, 'Servers · Handup', `${HERE}/courses/${course.slug}`, page],
      ['/tags/c%2B%2B/feed.atom', 'c++ · Handup', `${HERE}/tags/c%2B%2B`, page],
      [`/questions/${question.id}/feed.atom`, 'Which port? · Handup', page, `${page}#answer-${answer.id}`],
    ] as const
    for (const [path, title, ofWhat, entryPage] of feeds) {
      const feed = await feedAt(path)
      assert.deepEqual([feed.id, feed.self, feed.title], [HERE + path, HERE + path, title])
      assert.equal(feed.page, ofWhat)
      assert.deepEqual([feed.entries[0]?.page, feed.entries[0]?.base], [entryPage, entryPage])
    }
  })

  test('carry names, titles and posts with all their characters', async () => {
    const { db } = forum
    const author = await aPerson(db, { displayName: 'Ann & <b>Bob</b>' })
    const title = 'Is <![CDATA[ ]]> & "quoted" 한글 👩‍💻 &amp; safe?'
    const question = await aQuestion(db, { author, title, body: 'Is `</content>` **fine**?' })
    const body = 'A form feed&#12;is no [XML](/x "a&#12;b").'
    const answer = await anAnswer(db, { question, author, body })
    const [asked] = (await feedAt('/feed.atom')).entries.filter(({ id }) => id.endsWith(`/${question.id}`))
    assert.deepEqual([asked?.title, asked?.author], [title, author.displayName])
    assert.equal(asked?.html, '<p>Is <code>&lt;/content&gt;</code> <strong>fine</strong>?</p>\n')
    const [answered] = (await feedAt(`/questions/${question.id}/feed.atom`)).entries
    assert.equal(answered?.id, `${HERE}/questions/${question.id}#answer-${answer.id}`)
    assert.match(answered?.html ?? '', /^<p>A form feed is no <a href="\/x" title="a b"/)
  })

  test('begin with the newest, end after thirty, and say when they changed last', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const made = []
    for (let day = 1; day <= 31; day += 1)
      made.push(await aQuestion(db, { course, writtenAt: new Date(Date.UTC(2026, 0, day)) }))
    const path = `/courses/${course.slug}/feed.atom`
    const feed = await feedAt(path)
    const newest = made.map(({ title }) => title).toReversed()
    assert.deepEqual(valuesOf(feed.entries, 'title'), newest.slice(0, 30))
    assert.equal(feed.updated, '2026-01-31T00:00:00.000Z')
    const [, second = assert.fail()] = made
    const place = { tags: [], categoryId: course.categoryId, lectureId: null }
    const content = { title: 'Edited', body: await aText('Anew.'), ...place }
    await within(db, editQuestion, second.id, content, { actorId: second.authorId, version: 1 })
    const edited = await feedAt(path)
    const last = edited.entries.at(-1)
    assert.deepEqual([last?.title, last?.published], ['Edited', '2026-01-02T00:00:00.000Z'])
    assert.ok(Date.parse(last?.updated ?? '') > Date.now() - 60_000)
    assert.equal(edited.updated, last?.updated)
  })

  test('never tell of a private course, its own people neither', async () => {
    const { db, app } = forum
    const shut = await aCourse(db, { isPublic: false })
    const question = await aQuestion(db, { course: shut, title: 'Hidden away', tags: ['shut', 'shared'] })
    await aQuestion(db, { title: 'In the open', tags: ['shared'] })
    assert.deepEqual(await titlesAt('/tags/shared/feed.atom'), ['In the open'])
    const instructor = await signedIn(app, await aMember(db, shut, 'instructor'))
    for (const path of [`/courses/${shut.slug}`, `/questions/${question.id}`, '/tags/shut'])
      assert.equal((await instructor.get(`${path}/feed.atom`)).statusCode, 404, path)
    assert.doesNotMatch((await instructor.get('/feed.atom')).body, /Hidden away/)
  })

  test('leave out what is deleted; of a deleted question there is none', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const kept = await aQuestion(db, { course, title: 'Kept' })
    const deleted = await aQuestion(db, { course, title: 'Deleted' })
    const answer = await anAnswer(db, { question: kept })
    await within(db, deleteQuestion, deleted.id)
    await within(db, deleteAnswer, kept.id, answer.id)
    assert.deepEqual(await titlesAt(`/courses/${course.slug}/feed.atom`), ['Kept'])
    assert.deepEqual(await titlesAt(`/questions/${kept.id}/feed.atom`), [])
    assert.equal((await visitor(app).get(`/questions/${deleted.id}/feed.atom`)).statusCode, 410)
  })

  test('that are of nothing are not there', async () => {
    for (const path of ['/courses/none', '/courses/%00', '/tags/none', '/questions/999999', '/questions/x'])
      assert.equal((await visitor(forum.app).get(`${path}/feed.atom`)).statusCode, 404, path)
  })

  test('are the same however their address is spelled', async () => {
    await aQuestion(forum.db, { tags: ['java'] })
    for (const path of ['/feed.atom', '/tags/java/feed.atom']) {
      const { id, self } = await feedAt(path)
      for (const spelled of [`${path}/`, `${path}?from=mail`, path.replace('java', '%6Aava')]) {
        const feed = await feedAt(spelled)
        assert.deepEqual([feed.id, feed.self], [id, self], spelled)
      }
    }
  })

  test('have the same entries when a title is edited', async () => {
    const { db } = forum
    const question = await aQuestion(db, { title: 'First title', tags: ['renamed'] })
    await anAnswer(db, { question })
    const paths = ['/tags/renamed/feed.atom', `/questions/${question.id}/feed.atom`]
    const idsAt = async (path: string) => (await feedAt(path)).entries.map(({ id }) => id)
    const before = await Promise.all(paths.map(idsAt))
    await setRows(db, 'questions', question.id, { title: 'Second title' })
    assert.deepEqual(await Promise.all(paths.map(idsAt)), before)
    assert.match((await feedAt('/tags/renamed/feed.atom')).entries[0]?.page ?? '', /\/second-title$/)
  })

  test('are not sent again to readers who have them, until something is new, and may be kept by anybody', async () => {
    const { db, app } = forum
    const question = await aQuestion(db)
    const path = `/questions/${question.id}/feed.atom`
    const reader = await signedIn(app, await aPerson(db))
    const first = await reader.get(path)
    assert.equal(first.headers['cache-control'], 'public, max-age=300')
    assert.equal(first.headers['set-cookie'], undefined)
    const known = { 'if-none-match': String(first.headers.etag) }
    const again = await visitor(app).get(path, known)
    assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0])
    await anAnswer(db, { question })
    assert.equal((await visitor(app).get(path, known)).statusCode, 200)
  })
})
