import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { setRows } from '../../testing/rows.ts'
import { indexQuestions } from './index-question.ts'

type Db = Awaited<ReturnType<typeof testDatabase>>

/** A course with one question of a gazebo, one with another, and whatever else has the word and not everybody may read. */
async function aForum(db: Db) {
  const here = await aCourse(db, { title: 'Gardens' })
  const there = await aCourse(db, { title: 'Parks' })
  const closed = await aCourse(db, { title: 'Palaces', isPublic: false })
  const titles = ['A gazebo here', 'A gazebo there', 'A gazebo in a closed course'] as const
  for (const [index, course] of [here, there, closed].entries())
    await aQuestion(db, { course, title: titles[index] ?? '', tags: ['gazebos'] })
  await aQuestion(db, { course: there, title: 'A private gazebo', audience: 'staff' })
  for (const at of ['held_at', 'hidden_at'] as const) {
    const { id } = await aQuestion(db, { course: there, title: `A gazebo that is ${at}` })
    await setRows(db, 'questions', id, { [at]: new Date() })
    await indexQuestions(db, [id])
  }
  return { here, there, closed }
}

test('a search sent from a course stays in it, and says how many more its reader finds in all courses', async (t) => {
  const db = await testDatabase(t)
  const { here, there, closed } = await aForum(db)
  const app = await testApp(t, db)
  const reader = visitor(app)
  const path = `/search?q=gazebo&course=${here.slug}`
  const page = (await reader.get(path)).body
  assert.match(textOf(page), /In Gardens .*1 question 2 in all courses/)
  assert.match(page, /href="\/search\?q=gazebo">2 in all courses/)
  assert.doesNotMatch(page, /A gazebo there/)
  const facets = [...page.matchAll(/href="(\/search\?q=gazebo(?:\+|%20)[^"]*)"/g)].map(([, link]) => link)
  assert.ok(facets.length > 0 && facets.every((link) => link?.endsWith(`course=${here.slug}`)), `${facets}`)

  const member = await signedIn(app, await aMember(db, closed, 'learner'))
  assert.match(textOf((await member.get(path)).body), /1 question 3 in all courses/)
  const instructor = await signedIn(app, await aMember(db, there, 'instructor'))
  assert.match(textOf((await instructor.get(path)).body), /1 question 2 in all courses/)
  // A course that one may not read is as if nobody had named it.
  const strange = textOf((await reader.get(`/search?q=gazebo&course=${closed.slug}`)).body)
  assert.match(strange, /2 questions/)
  assert.doesNotMatch(strange, /Palaces|in all courses/)
  // Where a filter names a course, it alone holds.
  const filtered = (await reader.get(`/search?q=gazebo+course:${there.slug}&course=${here.slug}`)).body
  assert.match(filtered, /A gazebo there|<mark>gazebo<\/mark> there/)
  assert.doesNotMatch(textOf(filtered), /In Gardens|in all courses/)
})

test('a course in which some words are missing leads to where all of them are', async (t) => {
  const db = await testDatabase(t)
  const { here, there } = await aForum(db)
  await aQuestion(db, { course: there, title: 'A gazebo with a pagoda' })
  const page = await visitor(await testApp(t, db)).get(`/search?q=gazebo+pagoda&course=${here.slug}`)
  assert.match(textOf(page.body), /1 question \d in all courses/)
})

test('suggestions are of the course that is searched, with the tags that begin as what is typed', async (t) => {
  const db = await testDatabase(t)
  const { here } = await aForum(db)
  const reader = visitor(await testApp(t, db))
  const suggested = async (query: string) => {
    const { body } = await reader.get(`/search/suggestions?q=gaz${query}`)
    return (JSON.parse(body) as { suggestions: { text: string; note: string | null }[] }).suggestions
      .map(({ text, note }) => [text, note])
      .toSorted()
  }
  assert.deepEqual(await suggested(`&course=${here.slug}`), [
    ['A gazebo here', null],
    ['gazebos', 'Tag'],
  ])
  assert.equal((await suggested('')).length, 3)
})

test('before a letter is typed there are three doors, and two for visitors', async (t) => {
  const db = await testDatabase(t)
  const { here } = await aForum(db)
  const app = await testApp(t, db)
  const doors = async (reader: Awaited<ReturnType<typeof signedIn>>) => {
    const { body } = await reader.get(`/search?course=${here.slug}`)
    return textOf(/class="plain-list doors">(.*?)<\/ul>/s.exec(body)?.[1] ?? '')
  }
  assert.equal(await doors(visitor(app)), 'Unanswered in this course 1 FAQ')
  const author = await aPerson(db)
  await aQuestion(db, { course: here, author, answers: 1 })
  assert.equal(await doors(await signedIn(app, author)), 'Unanswered in this course 1 Your questions 1 FAQ')
})
