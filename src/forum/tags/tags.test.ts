import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { readForum } from '../../testing/forum.ts'
import { relIn } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { TAGS_PER_PAGE } from './queries.ts'

const MANY = Array.from({ length: TAGS_PER_PAGE + 30 }, (_, number) => `tag-${number}`)

suite('tags', () => {
  const forum = readForum(async ({ db, signIn }) => {
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const closed = await aCourse(db, { isPublic: false })
    const ask = (of: typeof course, title: string, tags: string[], status?: 'resolved') =>
      aQuestion(db, { course: of, title, tags, ...(status && { status }) })
    await ask(course, 'Selected question', ['java', 'rest', 'c'])
    await ask(course, 'About pointers', ['c++', 'rest', 'javascript'], 'resolved')
    await ask(course, 'About templates', ['c++'])
    await ask(other, 'About words', ['rest', 'año', 'ano', 'node.js', 'istanbul'])
    await ask(other, 'About other words', ['café', '자바'])
    await within(db, deleteQuestion, (await ask(course, 'Gone', ['gone', 'rest'])).id)
    await ask(closed, 'Private question', ['java', 'javascript', 'secret'])
    await ask(closed, 'Another private one', ['javascript', '자바'])
    const node = db.selectFrom('tags').select('id').where('name', '=', 'node.js')
    const { id: tag_id } = await node.executeTakeFirstOrThrow()
    await db.insertInto('tag_aliases').values({ course_id: other.id, name: 'server-side', tag_id }).execute()
    const names = MANY.map((name) => ({ name }))
    const tags = await db.insertInto('tags').values(names).returning('id').execute()
    const used = tags.map(({ id }) => ({ course_id: other.id, tag_id: id, questions_count: 1 + (id % 3) }))
    await db.insertInto('course_tags').values(used).execute()
    return { course, other, closed, member: await signIn(await aMember(db, closed)) }
  })
  const pageOf = async (path: string, reader = visitor(forum.app)) => (await reader.get(path)).body
  /** "java 2": each tag of the index with its number. */
  const tagsAt = async (query: string, reader?: Browser) => tagsOf(await pageOf(`/tags?${query}`, reader))
  const suggested = async (of: { slug: string }, typed: string, reader = visitor(forum.app)) => {
    const path = `/questions/tags?course=${of.slug}&q=${encodeURIComponent(typed)}`
    const { suggestions }: { suggestions: { text: string }[] } = (await reader.get(path)).json()
    return suggestions.map(({ text }) => text)
  }

  test('are found without their accents, which still tell them apart', async () => {
    const { other } = forum.world
    for (const typed of ['AN', 'año'])
      assert.deepEqual((await suggested(other, typed)).sort(), ['ano', 'año'])
    assert.deepEqual(await suggested(other, 'İst'), ['istanbul'])
    assert.deepEqual(await suggested(other, 'node.'), ['node.js'])
    assert.deepEqual((await tagsAt('q=an')).sort(), ['ano 1', 'año 1'])
  })

  test('are listed with the number of their questions, the most used first, in a course those of it alone', async () => {
    const { course, closed } = forum.world
    const body = await pageOf(`/tags?course=${course.slug}`)
    const listed = tagsOf(body)
    assert.deepEqual(listed.toSorted(), ['c 1', 'c++ 2', 'java 1', 'javascript 1', 'rest 2'])
    assert.deepEqual(listed.slice(0, 2).sort(), ['c++ 2', 'rest 2'])
    assert.ok(body.includes(`href="/courses/${course.slug}?tag=rest"`))
    assert.deepEqual(await tagsAt('q=re'), ['rest 3'])
    assert.deepEqual(await tagsAt('q=go'), [])
    for (const slug of [closed.slug, 'none'])
      assert.equal((await visitor(forum.app).get(`/tags?course=${slug}`)).statusCode, 404)
  })

  test('can be narrowed to those that begin so, in any case', async () => {
    assert.deepEqual((await tagsAt('q=JAVA')).sort(), ['java 1', 'javascript 1'])
    assert.deepEqual(await tagsAt(`q=${encodeURIComponent('자')}`), ['자바 1'])
    const none = await pageOf(`/tags?q=${encodeURIComponent('%<b>')}`)
    assert.match(none, /No tags start with “%&lt;b&gt;”/)
  })

  test('of a private course, with their counts and questions, are for its members', async () => {
    const { member } = forum.world
    assert.deepEqual(await tagsAt('q=java', member), ['javascript 3', 'java 2'])
    assert.deepEqual(await tagsAt('q=secret', member), ['secret 1'])
    assert.deepEqual(await tagsAt('q=secret'), [])
    assert.equal((await member.get('/tags/secret')).statusCode, 200)
    assert.equal((await visitor(forum.app).get('/tags/secret')).statusCode, 404)
    const java = await pageOf('/tags/java')
    for (const shown of [/Selected question/, /1 question/]) assert.match(java, shown)
    assert.doesNotMatch(java, /Private question/)
  })

  test('have their questions, filtered and sorted like any list of them', async () => {
    const body = await pageOf('/tags/c%2B%2B')
    assert.match(body, /About templates[\s\S]*About pointers/)
    assert.doesNotMatch(body, /Selected question/)
    assert.match(body, /<link rel="canonical" href="http:\/\/localhost:3000\/tags\/c%2B%2B">/)
    assert.doesNotMatch(await pageOf('/tags/c%2B%2B?status=resolved'), /About templates/)
  })

  test('in another spelling lead to the tag for good, and keep the query', async () => {
    for (const spelling of ['CAFÉ', 'Cafe\u0301']) {
      const answer = await visitor(forum.app).get(`/tags/${encodeURIComponent(spelling)}?sort=votes`)
      assert.deepEqual([answer.statusCode, answer.headers.location], [301, '/tags/caf%C3%A9?sort=votes'])
    }
  })

  test('that nobody used, or that cannot be, have no page', async () => {
    for (const path of ['unused', 'a%20b', '%00', '%2F', 'x'.repeat(40), '%F0%9F%98%80'])
      assert.equal((await visitor(forum.app).get(`/tags/${path}`)).statusCode, 404, path)
  })

  test('that are more than a page holds are all reached, forth and back', async () => {
    const first = await pageOf('/tags?q=tag')
    const second = await pageOf(relIn(first, 'next') ?? '')
    const again = await pageOf(relIn(second, 'prev') ?? '')
    const names = [first, second].flatMap(tagsOf).map((tag) => tag.replace(/ \d+$/, ''))
    assert.deepEqual(names.sort(), MANY.toSorted())
    assert.equal(tagsOf(first).length, TAGS_PER_PAGE)
    assert.deepEqual(tagsOf(again), tagsOf(first))
  })

  test('are suggested for the words that mean them, which are told apart from new ones', async () => {
    const { other } = forum.world
    const path = `/questions/tags?course=${other.slug}&q=`
    const asked = async (typed: string) => (await visitor(forum.app).get(path + typed)).json()
    assert.deepEqual(await asked('nod'), { suggestions: [{ text: 'node.js' }], means: null })
    assert.deepEqual(await asked('server-side'), { suggestions: [{ text: 'node.js' }], means: 'node.js' })
  })

  test('of the course are suggested while one is typed, most used first', async () => {
    const { closed, member } = forum.world
    assert.deepEqual(await suggested(closed, 'JA', member), ['javascript', 'java'])
    assert.deepEqual(await suggested(closed, '자', member), ['자바'])
    for (const nothing of ['', '%']) assert.deepEqual(await suggested(closed, nothing, member), [])
    assert.deepEqual(await suggested(closed, 'ja'), [])
  })
})

function tagsOf(html: string): string[] {
  const index = html.slice(html.indexOf('<ul class="tag-index">'), html.indexOf('</main>'))
  const tags = index.matchAll(/class="tag"[^>]*>([^<]+)<\/a>\s*<span class="num">(\d+)/g)
  return Array.from(tags, ([, name, count]) => `${name} ${count}`)
}
