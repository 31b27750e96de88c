import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { begun } from '../cases/testing.ts'
import { questionMove } from '../desk/moving.ts'
import { tagFollowing } from '../follows/following.ts'
import { lockQuestion } from '../posts/lock.ts'
import { editQuestion } from '../questions/edit-operations.ts'
import { askQuestion } from '../questions/operations.ts'
import { indexQueued } from '../search/index-question.ts'
import { idsFound } from '../search/testing.ts'
import { mostUsedTags } from '../tags/queries.ts'
import { tagNamesOf } from '../tags/tagging.ts'
import { renaming, sweepTagChanges } from './renaming.ts'
import { tagChange, tagUndoing } from './tags.ts'

let scenes = 0

suite('the tags of a course', () => {
  const forum = sharedForum()

  /** With words of its own: js, javascript and web, each with a number. */
  async function aScene() {
    const { db } = forum
    scenes += 1
    const word = (name: string) => `${name}${scenes}`
    const course = await aCourse(db)
    const instructor = await aMember(db, course, 'instructor')
    const ask = (...tags: string[]) => aQuestion(db, { course, tags: tags.map(word) })
    const by = { actor: instructor, key: course.slug }
    const inputOf = (tag: string, name: string, more: { description?: string; aliases?: string } = {}) => ({
      ...{ tag: word(tag), name: word(name), description: '', aliases: '' },
      ...more,
    })
    const change = (...given: Parameters<typeof inputOf>) =>
      act(forum, tagChange, { ...by, input: inputOf(...given) })
    const undo = async (tag: string) =>
      (await act(forum, tagUndoing, { actor: instructor, key: { slug: course.slug, part: word(tag) } }))
        .isUndone
    const tagsOf = async ({ id }: { readonly id: number }) => {
      const { rows } = await sql<{ tags: string[] }>`
        select ${tagNamesOf('q')} as tags from questions as q where id = ${id}`.execute(db)
      return rows[0]?.tags.map((name) => name.replace(String(scenes), '')).join(' ')
    }
    const finish = () => doJobs(db, renaming(db))
    return { db, course, instructor, word, ask, by, inputOf, change, undo, tagsOf, finish }
  }

  test('are renamed in this course alone, as they stand, without an edit, and back', async () => {
    const { db, word, ask, change, undo, tagsOf } = await aScene()
    const foreign = await aQuestion(db, { tags: [word('js')] })
    const one = await ask('web', 'js')
    const gone = await ask('js')
    await within(db, deleteQuestion, gone.id)
    const before = await rowOf(db, 'questions', one.id)
    await change('js', 'javascript')
    assert.deepEqual([await tagsOf(one), await tagsOf(gone)], ['web javascript', 'javascript'])
    assert.equal(await tagsOf(foreign), 'js')
    assert.equal((await visitor(forum.app).get(`/tags/${word('js')}`)).statusCode, 200, 'others use it')
    assert.deepEqual(await rowOf(db, 'questions', one.id), before)
    assert.deepEqual(await rowsOf(db, 'post_versions', { question_id: one.id }), [])
    assert.deepEqual(await recount(db), [])
    assert.deepEqual(await idsFound(db, `tag:${word('javascript')}`), [one.id])
    assert.deepEqual(await idsFound(db, `tag:${word('js')}`), [foreign.id])
    await indexQueued(db)
    assert.deepEqual(await idsFound(db, `tag:${word('javascript')}`), [one.id])
    assert.ok(await undo('javascript'))
    assert.deepEqual([await tagsOf(one), await tagsOf(gone)], ['web js', 'js'])
    assert.deepEqual((await idsFound(db, `tag:${word('js')}`)).length, 2)
    assert.ok(!(await undo('javascript')))
    assert.deepEqual(await recount(db), [])
  })

  test('are merged without doubles: a question that has both keeps the earlier place, and gets both back', async () => {
    const { db, ask, change, undo, tagsOf } = await aScene()
    const [first, second] = [await ask('js', 'web', 'javascript'), await ask('javascript', 'js', 'web')]
    const questions = [first, second, await ask('js')]
    const all = () => Promise.all(questions.map(tagsOf))
    await change('js', 'javascript')
    assert.deepEqual(await all(), ['javascript web', 'javascript web', 'javascript'])
    assert.deepEqual(await recount(db), [])
    assert.ok(await undo('js'))
    assert.deepEqual(await all(), ['js web javascript', 'javascript js web', 'js'])
    assert.deepEqual(await recount(db), [])
  })

  test('are meant by their old names and aliases, typed, asked and edited', async () => {
    const { db, course, instructor, word, ask, change, tagsOf } = await aScene()
    const question = await ask('js')
    await change('js', 'javascript', { aliases: `${word('ecma')}, ${word('ES')}` })
    assert.deepEqual(await mostUsedTags(db, course.id, word('ecma')), [word('javascript')])
    const content = { title: 'What is hoisted?', body: 'I wonder.' }
    const tags = [word('es'), word('web'), word('js')].join(', ')
    const asking = { actor: await aPerson(db), key: course.slug, input: { ...content, tags } }
    const asked = await act(forum, askQuestion, asking)
    assert.equal(await tagsOf(asked), 'javascript web')
    const { title, body } = await rowOf(db, 'questions', question.id)
    const input = { title, body, tags: word('ecma'), version: 1 }
    const { isChanged } = await act(forum, editQuestion, { actor: instructor, key: question.id, input })
    assert.ok(!isChanged)
    assert.equal((await rowsOf(db, 'tags', { name: word('ecma') })).length, 0)
  })

  test('lead from their old names to the list, which says what they are about', async () => {
    const { course, word, ask, change, undo } = await aScene()
    await ask('js')
    await change('js', 'javascript', { description: 'The language, in any runtime.' })
    const reader = visitor(forum.app)
    for (const path of [`/courses/${course.slug}?`, `/questions?course=${course.slug}&`]) {
      const moved = await reader.get(`${path}tag=${word('js')}&sort=votes`)
      assert.equal(moved.statusCode, 301)
      assert.equal(moved.headers.location, `${path}tag=${word('javascript')}&sort=votes`)
    }
    const shown = await reader.get(`/courses/${course.slug}?tag=${word('javascript')}`)
    assert.match(textOf(shown.body), /The language, in any runtime\./)
    const asked = `/api/v1/courses/${course.slug}/questions?tag=${word('js')}`
    const api = await reader.get(asked, { accept: 'application/json' })
    assert.equal(api.json<{ items: unknown[] }>().items.length, 1)
    assert.equal((await reader.get(`/tags/${word('js')}`)).statusCode, 404)
    assert.ok(await undo('javascript'))
    assert.equal((await reader.get(`/courses/${course.slug}?tag=${word('js')}`)).statusCode, 200)
  })

  test('keep their followers, who follow the new one as well until it is undone', async () => {
    const { db, word, ask, change, undo } = await aScene()
    await ask('js')
    await ask('javascript')
    const [one, both] = [await aPerson(db), await aPerson(db)]
    const follow = (actor: { readonly id: number }, tag: string) =>
      act(forum, tagFollowing, { actor, key: null, input: { tag: word(tag), value: true } })
    for (const tag of ['js', 'javascript']) await follow(both, tag)
    await follow(one, 'js')
    const { id } = await rowOf(db, 'tags', { name: word('javascript') })
    const followers = async () => valuesOf(await rowsOf(db, 'tag_follows', { tag_id: id }), 'person_id')
    await change('js', 'javascript')
    assert.deepEqual((await followers()).sort(), [one.id, both.id].sort())
    await undo('js')
    assert.deepEqual(await followers(), [both.id])
  })

  test('are refused what is theirs already', async () => {
    const { word, ask, by, inputOf, change, undo } = await aScene()
    await ask('js')
    await ask('web')
    await change('web', 'www')
    const taken = 'aliases: courseTags.taken'
    await refuses(forum, tagChange, by, [
      [inputOf('js', 'web'), 'name: courseTags.taken'],
      [inputOf('js', 'js', { aliases: `${word('www')}, ${word('web')}` }), `${taken}, ${taken}`],
      [inputOf('js', 'js', { description: 'x'.repeat(201) }), 'description: courseTags.description.long'],
      [{ ...inputOf('js', 'js'), name: 'a b!' }, 'name: courseTags.name.wrong'],
      [inputOf('js', 'js', { aliases: 'a!' }), 'aliases: questions.tags.wrong'],
      [inputOf('none', 'js'), 'name: courseTags.unknown'],
    ])
    // The later of two changes that share a tag is undone first.
    await change('www', 'net')
    assert.ok(!(await undo('web')))
    assert.ok(await undo('www'))
    assert.ok(await undo('web'))
  })

  test('wait for nobody: a question that is being changed gets its tag by a job', async () => {
    const { db, instructor, by, word, ask, change, tagsOf, finish } = await aScene()
    const [busy, other] = [await ask('js'), await ask('js')]
    const release = await begun(db, (write) => lockQuestion(write, busy.id))
    await change('js', 'javascript').finally(release)
    assert.deepEqual([await tagsOf(busy), await tagsOf(other)], ['js', 'javascript'])
    await finish()
    assert.equal(await tagsOf(busy), 'javascript')
    const { title, body } = await rowOf(db, 'questions', busy.id)
    const input = { title, body, tags: word('javascript'), version: 1 }
    const edit = act(forum, editQuestion, { actor: instructor, key: busy.id, input })
    const content = { body: 'I wonder.', tags: `${word('web')}, ${word('javascript')}` }
    const asked = [1, 2, 3, 4].map((index) =>
      act(forum, askQuestion, { ...by, input: { ...content, title: `What is ${index}?` } }),
    )
    await Promise.all([change('javascript', 'web'), edit, ...asked])
    await finish()
    for (const question of [busy, other, ...(await Promise.all(asked))])
      assert.equal(await tagsOf(question), 'web')
    assert.deepEqual(await recount(db), [])
  })

  test('are moved in steps of a thousand, each of which the next goes on from', async () => {
    const { db, word, ask, change, undo, finish } = await aScene()
    const { id } = await ask('js')
    const { id: tagId } = await rowOf(db, 'tags', { name: word('js') })
    await sql`
      with copied as (
        insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version)
        select course_id, category_id, author_id, title, body, body_html, renderer_version from questions, generate_series(1, 1100)
        where id = ${id} returning id)
      insert into question_tags (question_id, tag_id, position) select id, ${tagId}, 1 from copied`.execute(
      db,
    )
    const left = async () => (await rowsOf(db, 'question_tags', { tag_id: tagId })).length
    await change('js', 'javascript')
    assert.equal(await left(), 101)
    assert.equal(await finish(), 1)
    assert.equal(await left(), 0)
    assert.ok(await undo('js'))
    assert.equal(await left(), 1000)
    await finish()
    assert.equal(await left(), 1101)
    assert.deepEqual(await recount(db), [])
  })

  test('are what their words mean in a course that a question moves to', async () => {
    const { db, course, instructor, word, ask, change, tagsOf } = await aScene()
    await ask('javascript')
    await change('javascript', 'javascript', { aliases: word('js') })
    const from = await aCourse(db)
    await aMember(db, from, 'instructor', instructor)
    const question = await aQuestion(db, { course: from, tags: [word('js'), word('web')] })
    await act(forum, questionMove, { actor: instructor, key: question.id, input: { course: course.slug } })
    assert.equal(await tagsOf(question), 'javascript web')
    assert.deepEqual(await recount(db), [])
  })

  test('go with the hour in which they could be undone, where no course uses them', async () => {
    const { db, course, word, ask, change, undo } = await aScene()
    await ask('js')
    await change('js', 'javascript')
    await sweepTagChanges(db)
    assert.equal((await rowsOf(db, 'tags', { name: word('js') })).length, 1)
    const hourAgo = { changed_at: new Date(Date.now() - 61 * 60_000) }
    await setRows(db, 'tag_changes', { course_id: course.id }, hourAgo)
    assert.ok(!(await undo('js')))
    assert.equal(await sweepTagChanges(db), 1)
    assert.equal((await rowsOf(db, 'tags', { name: word('js') })).length, 0)
    assert.equal((await rowsOf(db, 'tag_aliases', { name: word('js') })).length, 1)
  })

  test('are described on a page, whose form comes back with what is wrong', async () => {
    const { course, instructor, word, ask } = await aScene()
    const browser = await signedIn(forum.app, instructor)
    const path = `/courses/${course.slug}/settings/tags`
    assert.match((await browser.get(path)).body, /No tags yet/)
    await ask('js')
    assert.match(textOf((await browser.get(path)).body), new RegExp(`${word('js')} 1 question`))
    const sent = { tag: word('js'), name: word('es'), description: 'Scripts.', aliases: 'a!' }
    const refused = await browser.post(path, sent)
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /value="Scripts\."/)
    const saved = await browser.post(path, { ...sent, aliases: word('ecma') })
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, path])
    const page = textOf((await browser.get(path)).body)
    assert.match(page, new RegExp(`${word('js')} → ${word('es')}`))
    assert.match(page, new RegExp(`Also: ${word('ecma')}, ${word('js')}`))
    assert.equal((await browser.post(`${path}/${word('es')}/undo`)).statusCode, 303)
    assert.equal((await browser.get(`${path}?tag=${word('none')}`)).statusCode, 404)
  })
})
