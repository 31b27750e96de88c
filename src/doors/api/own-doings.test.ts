import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aCourseToken, aToken } from '../../accounts/tokens/testing.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aDayAhead } from '../../testing/pass-time.ts'
import { aProgram } from './testing.ts'

suite('what one did', () => {
  const forum = sharedForum()

  test('is read with a personal token, changes no version, and is told no one else', async () => {
    const { db } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const [staff, learner] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, author: learner })
    const reply = await aReply(db, { answer, author: learner })
    const path = `/questions/${question.id}`
    const own = aProgram(forum.app, await aToken(forum, learner, ['read', 'write']))
    const all = aProgram(forum.app, await aToken(forum, staff, ['read', 'write', 'staff']))
    const me = async (program: typeof own, at: string) => (await program.get(at)).json().me
    // Who answers follows.
    await own.send('DELETE', `${path}/following`)
    const nothing = { is_author: false, vote: false, following: false, muted: false, pinned_until: null }
    assert.deepEqual(await me(own, path), nothing)
    const before = await own.get(path)
    await own.send('PUT', `${path}/vote`)
    await own.send('PUT', `${path}/following`)
    await all.send('PUT', `/answers/${answer.id}/vote`)
    await all.send('PUT', `${path}/pin`, { until: aDayAhead(3) })
    const after = await own.get(path)
    assert.deepEqual(after.json().me, { ...nothing, vote: true, following: true })
    assert.equal(after.headers['cache-control'], 'private, no-store')
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.equal(String(after.headers.etag).split('-')[0], String(before.headers.etag).split('-')[0])
    assert.ok(Date.parse((await me(all, path)).pinned_until) > Date.now())
    assert.deepEqual(await me(own, `/answers/${answer.id}`), { is_author: true, vote: false })
    assert.deepEqual(await me(all, `/answers/${answer.id}`), { is_author: false, vote: true })
    assert.deepEqual(await me(own, `/replies/${reply.id}`), { is_author: true })
    const listed = (await own.get(`/courses/${course.slug}/questions`)).json()
    assert.deepEqual(listed.items[0].me, after.json().me)
    for (const none of [
      aProgram(forum.app),
      aProgram(forum.app, await aCourseToken(forum, course)),
      aProgram(forum.app, await aToken(forum, learner, ['read'], other.id)),
    ])
      for (const at of [path, `/answers/${answer.id}`, `/replies/${reply.id}`])
        assert.equal(await me(none, at), null, at)
  })

  test('a person’s questions are those of their profile: under their name, where the reader may read', async () => {
    const { db } = forum
    const [course, closed] = [await aCourse(db), await aCourse(db, { isPublic: false })]
    const author = await aMember(db, course)
    await aMember(db, closed, 'learner', author)
    const first = await aQuestion(db, { course, author })
    const second = await aQuestion(db, { course, author })
    await aQuestion(db, { course, author, isAnonymous: true })
    await aQuestion(db, { course, author, audience: 'staff' })
    const third = await aQuestion(db, { course: closed, author })
    const classmate = await aMember(db, closed)
    const idsOf = async (program: ReturnType<typeof aProgram>, search = '') => {
      const answer = await program.get(`/people/${author.id}/questions${search}`)
      return { ids: answer.json().items.map(({ id }: { id: number }) => id), link: answer.headers.link }
    }
    assert.deepEqual((await idsOf(aProgram(forum.app))).ids, [second.id, first.id])
    const inside = aProgram(forum.app, await aToken(forum, classmate))
    const { ids, link } = await idsOf(inside, '?limit=2')
    assert.deepEqual(ids, [third.id, second.id])
    const cursor = /cursor=([^&>]+)/.exec(String(link))?.[1]
    assert.deepEqual((await idsOf(inside, `?cursor=${cursor}`)).ids, [first.id])
    assert.equal((await inside.get('/people/999999/questions')).statusCode, 404)
    assert.equal((await inside.get(`/people/${author.id}/questions?cursor=x`)).statusCode, 400)
  })
})
