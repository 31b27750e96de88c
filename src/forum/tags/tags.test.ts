import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { relIn } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { TAGS_PER_PAGE } from './queries.ts'

test('tags are found without their accents, which still tell them apart', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db)
  await aQuestion(db, { course, tags: ['año', 'ano', 'node.js', 'istanbul'] })
  const suggested = async (typed: string) => {
    const { body } = await visitor(app).get(
      `/questions/tags?course=${course.slug}&q=${encodeURIComponent(typed)}`,
    )
    return (JSON.parse(body).suggestions as { text: string }[]).map(({ text }) => text).sort()
  }
  assert.deepEqual(await suggested('AN'), ['ano', 'año'])
  assert.deepEqual(await suggested('año'), ['ano', 'año'])
  assert.deepEqual(await suggested('İst'), ['istanbul'])
  assert.deepEqual(await suggested('node.'), ['node.js'])
  assert.deepEqual(tagsOf((await visitor(app).get('/tags?q=an')).body).sort(), ['ano 1', 'año 1'])
})

test('tags are listed with the number of their questions, the most used first', async (t) => {
  const { db, app } = await aForum(t)
  await aQuestion(db, { tags: ['java', 'rest'] })
  await aQuestion(db, { tags: ['rest'] })
  await within(db, deleteQuestion, (await aQuestion(db, { tags: ['gone', 'rest'] })).id)

  const { body } = await visitor(app).get('/tags')

  assert.deepEqual(tagsOf(body), ['rest 2', 'java 1'])
})

test('tags can be narrowed to those that begin so, in any case', async (t) => {
  const { db, app } = await aForum(t)
  await aQuestion(db, { tags: ['java', 'javascript', 'rest', '자바'] })
  const reader = visitor(app)

  assert.deepEqual(tagsOf((await reader.get('/tags?q=JAVA')).body).sort(), ['java 1', 'javascript 1'])
  assert.deepEqual(tagsOf((await reader.get(`/tags?q=${encodeURIComponent('자')}`)).body), ['자바 1'])
  const none = await reader.get(`/tags?q=${encodeURIComponent('%<b>')}`)
  assert.match(none.body, /No tags start with “%&lt;b&gt;”/)
})

test('tags, counts and questions of a private course are for its members', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db, { isPublic: false })
  await aQuestion(db, { tags: ['java'], title: 'Selected question' })
  await aQuestion(db, { course, tags: ['java', 'secret'], title: 'Private question' })
  const member = await signedIn(app, await aMember(db, course))
  const reader = visitor(app)

  assert.deepEqual(tagsOf((await member.get('/tags')).body), ['java 2', 'secret 1'])
  assert.deepEqual(tagsOf((await reader.get('/tags')).body), ['java 1'])
  assert.equal((await member.get('/tags/secret')).statusCode, 200)
  assert.equal((await reader.get('/tags/secret')).statusCode, 404)
  const java = (await reader.get('/tags/java')).body
  assert.match(java, /Selected question/)
  assert.match(java, /1 question/)
  assert.doesNotMatch(java, /Private question/)
})

test('a tag has its questions, filtered and sorted like any list of them', async (t) => {
  const { db, app } = await aForum(t)
  await aQuestion(db, { tags: ['c++'], title: 'About pointers', status: 'resolved' })
  await aQuestion(db, { tags: ['c++'], title: 'About templates' })
  await aQuestion(db, { tags: ['c'], title: 'About arrays' })
  const reader = visitor(app)

  const { body, statusCode } = await reader.get('/tags/c%2B%2B')
  assert.equal(statusCode, 200)
  assert.match(body, /About templates[\s\S]*About pointers/)
  assert.doesNotMatch(body, /About arrays/)
  assert.match(body, /<link rel="canonical" href="http:\/\/localhost:3000\/tags\/c%2B%2B">/)
  const resolved = (await reader.get('/tags/c%2B%2B?status=resolved')).body
  assert.doesNotMatch(resolved, /About templates/)
})

test('another spelling leads to the tag for good, and keeps the query', async (t) => {
  const { db, app } = await aForum(t)
  await aQuestion(db, { tags: ['café'] })
  const reader = visitor(app)

  for (const spelling of ['CAFÉ', 'Cafe\u0301']) {
    const answer = await reader.get(`/tags/${encodeURIComponent(spelling)}?sort=votes`)
    assert.equal(answer.statusCode, 301)
    assert.equal(answer.headers.location, '/tags/caf%C3%A9?sort=votes')
  }
})

test('there is no page for a tag nobody used, or for what cannot be one', async (t) => {
  const { app } = await aForum(t)
  for (const path of ['unused', 'a%20b', '%00', '%2F', 'x'.repeat(40), '%F0%9F%98%80']) {
    assert.equal((await visitor(app).get(`/tags/${path}`)).statusCode, 404, path)
  }
})

test('more tags than a page holds are all reached, forth and back', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db)
  const names = Array.from({ length: TAGS_PER_PAGE + 30 }, (_, number) => `tag-${number}`)
  const tags = await db
    .insertInto('tags')
    .values(names.map((name) => ({ name })))
    .returning('id')
    .execute()
  const used = tags.map(({ id }) => ({ course_id: course.id, tag_id: id, questions_count: 1 + (id % 3) }))
  await db.insertInto('course_tags').values(used).execute()
  const reader = visitor(app)

  const first = (await reader.get('/tags?q=tag')).body
  const second = (await reader.get(relIn(first, 'next') ?? '')).body
  const again = (await reader.get(relIn(second, 'prev') ?? '')).body

  assert.deepEqual([...namesOf(first), ...namesOf(second)].sort(), [...names].sort())
  assert.equal(namesOf(first).length, TAGS_PER_PAGE)
  assert.deepEqual(namesOf(again), namesOf(first))
})

async function aForum(
  t: Parameters<typeof testDatabase>[0],
): Promise<{ db: Database; app: FastifyInstance }> {
  const db = await testDatabase(t)
  return { db, app: await testApp(t, db) }
}

/** "java 2": each tag of the index with its number. */
function tagsOf(html: string): string[] {
  const index = html.slice(html.indexOf('<ul class="tag-index">'), html.indexOf('</main>'))
  return [...index.matchAll(/class="tag"[^>]*>([^<]+)<\/a>\s*<span class="num">(\d+)/g)].map(
    ([, name, count]) => `${name} ${count}`,
  )
}

function namesOf(html: string): string[] {
  return tagsOf(html).map((tag) => tag.replace(/ \d+$/, ''))
}

test('while a tag is typed, those of the course are suggested, most used first', async (t) => {
  const { db, app } = await aForum(t)
  const course = await aCourse(db, { isPublic: false })
  await aQuestion(db, { course, tags: ['java', 'javascript'] })
  await aQuestion(db, { course, tags: ['javascript', '자바'] })
  await aQuestion(db, { tags: ['javadoc'] })
  const path = (beginning: string) =>
    `/questions/tags?course=${course.slug}&q=${encodeURIComponent(beginning)}`
  const member = await signedIn(app, await aMember(db, course))

  assert.deepEqual((await member.get(path('JA'))).json(), {
    suggestions: [{ text: 'javascript' }, { text: 'java' }],
  })
  assert.deepEqual((await member.get(path('자'))).json(), { suggestions: [{ text: '자바' }] })
  assert.deepEqual((await member.get(path(''))).json(), { suggestions: [] })
  assert.deepEqual((await member.get(path('%'))).json(), { suggestions: [] })
  assert.deepEqual((await visitor(app).get(path('ja'))).json(), { suggestions: [] })
})

test('the tags of a course are counted in it alone, for everybody who may read the course', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const hidden = await aCourse(db, { isPublic: false })
  await aQuestion(db, { course, tags: ['rest'] })
  await aQuestion(db, { tags: ['rest', 'elsewhere'] })
  const reader = visitor(await testApp(t, db))

  const { body } = await reader.get(`/tags?course=${course.slug}`)
  assert.deepEqual(tagsOf(body), ['rest 1'])
  assert.ok(body.includes(`href="/courses/${course.slug}?tag=rest"`))
  assert.equal((await reader.get(`/tags?course=${hidden.slug}`)).statusCode, 404)
  assert.equal((await reader.get('/tags?course=none')).statusCode, 404)
})
