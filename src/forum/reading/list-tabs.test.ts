import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForumThatHears } from '../../testing/forum.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { openQuestion, withdrawQuestion } from '../questions/audience.ts'

suite('the tabs of lists', () => {
  const forum = sharedForumThatHears()

  test('"Mine" and "Following" say how many there are, each to its reader, as soon as it changes', async () => {
    const { app, db, changes } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const [mina, jun] = [await aPerson(db), await aPerson(db)]
    const first = await aQuestion(db, { course, author: mina })
    const [asMina, asJun] = [await signedIn(app, mina), await signedIn(app, jun)]
    const path = `/courses/${course.slug}`
    const tabs = async (reader = asMina, at = path) => {
      await changes.caughtUp()
      return numbersOf((await reader.get(at)).body)
    }

    assert.deepEqual(await tabs(), ['Mine 1', 'Following 1'])
    assert.deepEqual(await tabs(asJun), ['Mine', 'Following'], 'the shared page says nothing of others')
    assert.deepEqual(await tabs(visitor(app)), [])

    const kept = await aQuestion(db, { course, author: mina, audience: 'staff' })
    await aQuestion(db, { course: other, author: mina })
    assert.deepEqual(await tabs(), ['Mine 2', 'Following 1'], 'one’s own private question is no followed one')
    assert.deepEqual(await tabs(asMina, '/questions'), ['Mine 3', 'Following 2'])
    assert.deepEqual(await tabs(asMina, `${path}?tag=http`), ['Mine', 'Following'])

    await anAnswer(db, { question: first, author: jun })
    assert.deepEqual(await tabs(asJun), ['Mine', 'Following 1'])
    await within(db, withdrawQuestion, first.id)
    assert.deepEqual(await tabs(asJun), ['Mine', 'Following'], 'it became private')
    await within(db, openQuestion, first.id, null)
    assert.deepEqual(await tabs(asJun), ['Mine', 'Following 1'])
    await within(db, setFollowing, first.id, jun.id, 'mute')
    assert.deepEqual(await tabs(asJun), ['Mine', 'Following'])
    for (const [level, count] of [
      ['follow', ' 1'],
      ['none', ''],
    ] as const) {
      await within(db, setFollowing, first.id, jun.id, level)
      assert.deepEqual(await tabs(asJun, '/questions'), ['Mine', `Following${count}`], level)
    }
    await within(db, deleteQuestion, kept.id)
    assert.deepEqual(await tabs(), ['Mine 1', 'Following 1'])
  })
})

/** The tabs of one person, as they read. */
function numbersOf(html: string): string[] {
  const tabs = /<nav class="tabs under-line"[\s\S]*?<\/nav>/.exec(html)?.[0] ?? ''
  return [...tabs.matchAll(/>(Mine|Following)(?:<span class="n">([^<]*)<\/span>)?</g)].map(
    ([, name, count]) => `${name}${count ?? ''}`,
  )
}
