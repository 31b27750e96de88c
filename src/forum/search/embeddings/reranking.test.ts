import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { Database } from '../../../database/schema.ts'
import { doJobs } from '../../../jobs/do-jobs.ts'
import { atEnd } from '../../../testing/at-end.ts'
import { setAudience } from '../../../testing/audience.ts'
import { signedIn, visitor } from '../../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../../testing/builders.ts'
import { aForum } from '../../../testing/forum.ts'
import { valueIn } from '../../../testing/page.ts'
import { deleteQuestion } from '../../../testing/posts.ts'
import { rowsOf, setRows, valuesOf } from '../../../testing/rows.ts'
import { within } from '../../../testing/within.ts'
import { EmbeddingEndpoint } from './endpoint.ts'
import { aFakeEndpoint } from './endpoint-testing.ts'
import { vectorKind } from './reranking.ts'

/** A forum with an endpoint, and what makes the vectors that are missing. */
async function aForumWithEndpoint(t: TestContext) {
  const made = await aFakeEndpoint(t)
  const forum = await aForum(t, { embeddingsUrl: made.url })
  const endpoint = new EmbeddingEndpoint(made.url)
  atEnd(t, async () => endpoint.close())
  return { ...forum, ...made, makeVectors: () => doJobs(forum.db, vectorKind(forum.db, endpoint)) }
}

/** Titles of results in their order. */
const titlesIn = (body: string) =>
  [...body.matchAll(/<h2 class="result-title"[^>]*>\s*<a[^>]*>(.*?)<\/a>/g)].map(([, title]) =>
    (title ?? '').replace(/<[^>]+>/g, ''),
  )

const stored = async (db: Database) => valuesOf(await rowsOf(db, 'question_vectors', {}), 'question_id')

suite('ranking by meaning, with EMBEDDINGS_URL', () => {
  test('what means the same comes first among what has the words, and in the old order without the endpoint', async (t) => {
    const { app, db, fake, makeVectors } = await aForumWithEndpoint(t)
    const course = await aCourse(db, { title: 'Engines' })
    const body = 'The kitten stalls, it stalls.'
    const cat = await aQuestion(db, { course, title: 'Why does it stall', body })
    const car = await aQuestion(db, { course, title: 'It will stall', body: 'My automobile.' })
    const titles = async (q: string) => titlesIn((await visitor(app).get(`/search?q=${q}`)).body)
    const byWords = await titles('stall+why')
    assert.equal(byWords.length, 2)
    assert.equal(await makeVectors(), 2)
    assert.deepEqual(await stored(db), [cat.id, car.id])
    const first = await titles('stall+vehicle')
    assert.deepEqual(await titles('stall'), await titles('stall'))
    assert.equal(first[0], car.title)
    assert.equal((await titles('stall+kitten'))[0], cat.title)
    fake.answer = 'nonsense'
    assert.deepEqual(await titles('stall+why'), byWords)
  })

  test('only what every reader of an allowed course may read is ever sent', async (t) => {
    const { app, db, texts, makeVectors } = await aForumWithEndpoint(t)
    const open = await aCourse(db)
    const closed = await aCourse(db, { isPublic: false })
    const secret = (where: string) => ({ title: `Zyxquork ${where}`, body: `zyxquork ${where}` })
    const asker = await aMember(db, open)
    const kept = await aQuestion(db, { course: open, author: asker, ...secret('kept') })
    await setAudience(db, kept.id, 'staff')
    const gone = await aQuestion(db, { course: open, author: asker, ...secret('gone') })
    await within(db, deleteQuestion, gone.id, asker.id)
    const inside = await aQuestion(db, { course: closed, ...secret('inside') })
    const also = await aQuestion(db, { course: closed, title: 'Also inside' })
    const shown = await aQuestion(db, { course: open, title: 'About a car' })
    await makeVectors()
    const isSecret = (text: string) => /zyxquork/i.test(text)
    assert.ok(!texts().some(isSecret))
    assert.deepEqual(await stored(db), [shown.id])

    // Text that may become a private question, or in a forum where not all courses allow it, is not sent either.
    const member = await signedIn(app, await aMember(db, closed))
    await member.get(`/questions/similar?title=Zyxquork+typed+car&course=${open.slug}`)
    await member.get('/search?q=zyxquork+car')
    await member.get(`/search?q=zyxquork+car+course%3A${closed.slug}`)
    await member.get('/search/suggestions?q=zyxquork+car')
    assert.ok(!texts().some(isSecret))
    assert.equal(texts().length, 1)

    // The instructor switches it on, and off again.
    const instructor = await signedIn(app, await aMember(db, closed, 'instructor'))
    const path = `/courses/${closed.slug}/settings`
    const set = async (values: Record<string, string>) => {
      const version = valueIn((await instructor.get(path)).body, 'version') ?? ''
      const access = { section: 'access', version, visibility: 'private', asking: 'members' }
      assert.equal((await instructor.post(path, { ...access, ...values })).statusCode, 303)
    }
    assert.match((await instructor.get(path)).body, /name="allows_embeddings" value="1">/)
    await set({ allows_embeddings: '1' })
    assert.match((await instructor.get(path)).body, /name="allows_embeddings" value="1" checked>/)
    await makeVectors()
    assert.deepEqual(new Set(await stored(db)), new Set([inside.id, also.id, shown.id]))
    await member.get(`/search?q=inside+car+course%3A${closed.slug}`)
    assert.ok(texts().some((text) => text.startsWith('inside car')))
    await set({})
    const before = texts().length
    await makeVectors()
    await member.get(`/search?q=inside+cars+course%3A${closed.slug}`)
    assert.deepEqual([await stored(db), texts().length], [[shown.id], before])
  })

  test('a vector is of the text that a question has now, and goes when it is made private', async (t) => {
    const { db, texts, makeVectors } = await aForumWithEndpoint(t)
    const { id } = await aQuestion(db, { title: 'About a car' })
    await makeVectors()
    await makeVectors()
    assert.equal(texts().length, 1)
    await setRows(db, 'questions', id, { title: 'About a kitten', version: 2 })
    await makeVectors()
    assert.ok(texts().at(-1)?.startsWith('About a kitten'))
    await setAudience(db, id, 'staff')
    await makeVectors()
    assert.deepEqual([await stored(db), texts().length], [[], 2])
  })

  test('without an endpoint no course has the setting', async (t) => {
    const { app, db } = await aForum(t)
    const course = await aCourse(db)
    const instructor = await signedIn(app, await aMember(db, course, 'instructor'))
    assert.doesNotMatch((await instructor.get(`/courses/${course.slug}/settings`)).body, /allows_embeddings/)
  })
})
