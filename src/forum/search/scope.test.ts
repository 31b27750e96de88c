import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion, type MadeCourse } from '../../testing/builders.ts'
import { readForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import type { QuestionOptions } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { indexQuestions } from './index-question.ts'

suite('a search sent from a course', () => {
  /** A question of a gazebo in each of three courses, and whatever else has the word and not everybody may read. */
  const forum = readForum(async ({ db, signIn }) => {
    const [here, there] = [await aCourse(db, { title: 'Gardens' }), await aCourse(db, { title: 'Parks' })]
    const closed = await aCourse(db, { title: 'Palaces', isPublic: false })
    const ask = (course: MadeCourse, title: string, options: QuestionOptions = {}) =>
      aQuestion(db, { course, title, ...options })
    const tags = ['gazebos']
    await ask(here, 'A gazebo here', { tags })
    await ask(there, 'A gazebo there and a pagoda', { tags })
    await ask(closed, 'A gazebo in a closed course', { tags })
    await ask(there, 'A private gazebo', { audience: 'staff' })
    for (const at of ['held_at', 'hidden_at'] as const) {
      const { id } = await ask(there, `A gazebo that is ${at}`)
      const why = at === 'held_at' ? ({ held_for: 'all' } as const) : {}
      await setRows(db, 'questions', id, { [at]: new Date(), ...why })
      await indexQuestions(db, [id])
    }
    const author = await aPerson(db)
    await ask(here, 'Something else', { author, answers: 1 })
    const [member, instructor] = [await aMember(db, closed), await aMember(db, there, 'instructor')]
    const signed = { author: await signIn(author), member: await signIn(member) }
    return { here, there, closed, ...signed, instructor: await signIn(instructor) }
  })
  const pageOf = async (path: string, reader = visitor(forum.app)) => (await reader.get(path)).body

  test('stays in it, and says how many more its reader finds in all courses', async () => {
    const { here, there, closed, member, instructor } = forum.world
    const path = `/search?q=gazebo&course=${here.slug}`
    const page = await pageOf(path)
    assert.match(textOf(page), /In Gardens .*1 question 2 in all courses/)
    assert.match(page, /href="\/search\?q=gazebo">2 in all courses/)
    assert.doesNotMatch(page, /A gazebo there/)
    const facets = [...page.matchAll(/href="(\/search\?q=gazebo(?:\+|%20)[^"]*)"/g)].map(([, link]) => link)
    assert.ok(facets.length > 0 && facets.every((link) => link?.endsWith(`course=${here.slug}`)), `${facets}`)

    assert.match(textOf(await pageOf(path, member)), /1 question 3 in all courses/)
    assert.match(textOf(await pageOf(path, instructor)), /1 question 2 in all courses/)
    // A course that one may not read is as if nobody had named it.
    const strange = textOf(await pageOf(`/search?q=gazebo&course=${closed.slug}`))
    assert.match(strange, /2 questions/)
    assert.doesNotMatch(strange, /Palaces|in all courses/)
    // Where a filter names a course, it alone holds.
    const filtered = textOf(await pageOf(`/search?q=gazebo+course:${there.slug}&course=${here.slug}`))
    assert.match(filtered, /A gazebo there/)
    assert.doesNotMatch(filtered, /In Gardens|in all courses/)
  })

  test('in which some words are missing leads to where all of them are', async () => {
    const page = await pageOf(`/search?q=gazebo+pagoda&course=${forum.world.here.slug}`)
    assert.match(textOf(page), /1 question \d in all courses/)
  })

  test('suggests what is there, with the tags that begin as what is typed', async () => {
    const suggested = async (query: string) => {
      const { suggestions } = JSON.parse(await pageOf(`/search/suggestions?q=gaz${query}`))
      return suggestions.map(({ text, note }: Record<string, unknown>) => [text, note]).toSorted()
    }
    const tag = ['gazebos', 'Tag']
    assert.deepEqual(await suggested(`&course=${forum.world.here.slug}`), [['A gazebo here', null], tag])
    assert.equal((await suggested('')).length, 3)
  })

  test('has three doors before a letter is typed, and two for visitors', async () => {
    const { here, author } = forum.world
    const doors = async (reader?: Browser) => {
      const body = await pageOf(`/search?course=${here.slug}`, reader)
      return textOf(/class="plain-list doors">(.*?)<\/ul>/s.exec(body)?.[1] ?? '')
    }
    assert.equal(await doors(), 'Unanswered in this course 1 FAQ')
    assert.equal(await doors(author), 'Unanswered in this course 1 Your questions 1 FAQ')
  })
})
