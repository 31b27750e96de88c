import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database, Row } from '../../../database/schema.ts'
import { setAudience } from '../../../testing/audience.ts'
import { signedIn, visitor } from '../../../testing/browser.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  type MadeCourse,
  type MadePerson,
} from '../../../testing/builders.ts'
import { sharedForum } from '../../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../../testing/rows.ts'
import { within } from '../../../testing/within.ts'
import { setDuplicate } from '../../desk/duplicates.ts'
import { followInstead, setFollowing } from '../../follows/following.ts'
import { indexQuestions } from '../index-question.ts'
import { refreshStatistics } from '../statistics.ts'
import { idsFound, similarTo } from '../testing.ts'
import { isOfResult, noteOpening, signOfResult } from './signals.ts'

const TYPED = 'Postgres connection refused'
const SECRET = { secret: 'a secret', needsConfirmed: true }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
/** As old as an account has to be. */
const joinedAt = daysAgo(2)

/** A course whose posts have the words, none of them together, and a question that has none. */
async function aField(db: Database) {
  const course = await aCourse(db)
  const ask = (title: string, body = 'It is so.') => aQuestion(db, { course, title, body })
  const target = await ask('Containers of one network', 'Use its name.')
  for (const title of ['Which postgres is it?', 'Close the connection', 'My merge was refused'])
    await ask(title)
  for (let count = 0; count < 20; count += 1) await ask(`Nothing of the kind ${count}`, 'It is not.')
  const like = async (title: string) => (await similarTo(db, course, title)).map(({ id }) => id)
  const found = (text: string) => idsFound(db, `course:${course.slug} ${text} `)
  return { course, target, ask, like, found }
}

async function press(db: Database, course: MadeCourse, questionId: number, title = TYPED) {
  const person = await aMember(db, course)
  await within(db, followInstead, questionId, person.id, title)
  return person
}

async function open(db: Database, questionId: number, people: readonly MadePerson[], subject = TYPED) {
  for (const { id } of people) await noteOpening(db, SECRET, { questionId, personId: id, subject })
}

/** The sign of the first result of a page. */
const signIn = (page: string) => /data-sign="([\w-]+)"/.exec(page)?.[1] ?? ''

suite('what others asked by', () => {
  const forum = sharedForum()
  const someone = async (course: MadeCourse) =>
    aMember(forum.db, course, 'learner', await aPerson(forum.db, { joinedAt }))
  const people = (count: number, course: MadeCourse) =>
    Promise.all(Array.from({ length: count }, () => someone(course)))

  test('the words of who pressed "This answers mine" lead there, until they fade or that ends', async () => {
    const { db } = forum
    const { course, target, like, found } = await aField(db)
    assert.ok(!(await like(TYPED)).includes(target.id))
    const person = await press(db, course, target.id)
    assert.ok((await like('Connection refused, postgres')).includes(target.id))
    assert.equal((await found(TYPED))[0], target.id, 'it alone has all the words now')
    const aged = (days: number) =>
      setRows(db, 'asked_instead', { person_id: person.id }, { asked_at: daysAgo(days) })
    await aged(365)
    assert.ok(!(await like(TYPED)).includes(target.id), 'they fade')
    await aged(0)
    await within(db, setFollowing, target.id, person.id, 'mute')
    assert.ok(!(await like(TYPED)).includes(target.id), 'muted')
    await within(db, followInstead, target.id, person.id, TYPED)
    await within(db, setFollowing, target.id, person.id, 'none')
    assert.ok(!(await like(TYPED)).includes(target.id), 'not followed any more')
    assert.notEqual((await found(TYPED))[0], target.id)
    assert.deepEqual(await rowsOf(db, 'asked_instead', { person_id: person.id }), [])
  })

  test('a word counts only while a post has it that everybody in the course reads', async () => {
    const { db } = forum
    const { course, target, found } = await aField(db)
    const asker = await aMember(db, course)
    const only = await aQuestion(db, { course, author: asker, title: 'The zyzzogeton', body: 'Quokkalike.' })
    await press(db, course, target.id, 'zyzzogeton of postgres')
    await press(db, course, target.id, 'quokkalike merge')
    const isFound = async () => [
      (await found('zyzzogeton postgres')).includes(target.id),
      (await found('quokkalike merge')).includes(target.id),
    ]
    assert.deepEqual(await isFound(), [true, true])
    const changed = async (fields: Partial<Row<'questions'>>) => {
      await setRows(db, 'questions', only.id, fields)
      await indexQuestions(db, [only.id])
    }
    await changed({ body_html: '<p>Redacted.</p>' })
    assert.deepEqual(await isFound(), [true, false], 'redacted')
    await setAudience(db, only.id, 'staff')
    assert.deepEqual(await isFound(), [false, false], 'private')
    await refreshStatistics(db)
    const readers = [visitor(forum.app), await signedIn(forum.app, await aMember(db, course))]
    for (const reader of readers)
      for (const path of [
        `/search?q=zyzzogeton`,
        `/search?q=zyzzogeton+postgres`,
        `/search/suggestions?q=zyzzogeton`,
        `/questions/similar?course=${course.slug}&title=zyzzogeton+of+it`,
      ])
        assert.doesNotMatch((await reader.get(path)).body, new RegExp(`/questions/${target.id}/`), path)
    await setAudience(db, only.id, 'course')
    assert.deepEqual(await isFound(), [true, false], 'open again')
    await changed({ deleted_at: new Date() })
    assert.deepEqual(await isFound(), [false, false], 'deleted')
  })

  test('a question that becomes private or is deleted is found by nothing learned, and learns nothing', async () => {
    const { db } = forum
    const { course, target, found } = await aField(db)
    await press(db, course, target.id)
    await open(db, target.id, await people(3, course))
    await setAudience(db, target.id, 'staff')
    assert.ok(!(await found(TYPED)).includes(target.id))
    await press(db, course, target.id, 'merge')
    await open(db, target.id, await people(3, course), 'merge')
    await setAudience(db, target.id, 'course')
    assert.equal((await found(TYPED))[0], target.id)
    const merges = await rowsOf(db, 'search_openings', { question_id: target.id, word: 'merge' })
    assert.deepEqual(merges, [])
    assert.ok(!(await found('merge')).includes(target.id))
  })

  test('one account that presses it fifty times changes no order', async () => {
    const { db } = forum
    const { course, like, found } = await aField(db)
    const stuffed: number[] = []
    for (let count = 0; count < 50; count += 1)
      stuffed.push((await aQuestion(db, { course, title: `Gibberish ${count}`, body: 'It is.' })).id)
    const order = async () => ({ similar: await like(TYPED), found: await found('refused') })
    const before = await order()
    const person = await aMember(db, course)
    for (const id of stuffed) await within(db, followInstead, id, person.id, TYPED)
    const after = await order()
    const isOther = (id: number) => !stuffed.includes(id)
    const others = after.similar.filter(isOther)
    assert.deepEqual(others, before.similar.filter(isOther).slice(0, others.length))
    assert.ok(after.similar.length - others.length <= 2)
    assert.deepEqual(after.found.filter(isOther), before.found)
    assert.ok(after.found.length - before.found.length <= 2)
  })

  test('a search counts that three people ended by opening the question, however often one of them searches', async () => {
    const { db } = forum
    const { course, target, like, found } = await aField(db)
    const [one, ...others] = await people(3, course)
    assert.ok(one)
    const order = async () => ({ similar: await like(TYPED), found: await found(TYPED) })
    const before = await order()
    for (let count = 0; count < 100; count += 1) await open(db, target.id, [one])
    assert.deepEqual(await order(), before)
    await open(db, target.id, others.slice(0, 1))
    assert.deepEqual(await order(), before)
    await open(db, target.id, others)
    assert.ok((await like(TYPED)).includes(target.id))
    assert.equal((await found(TYPED))[0], target.id)
  })

  test('among questions that have the words, those that many opened come first', async () => {
    const { db } = forum
    const { course, ask, found } = await aField(db)
    for (let count = 0; count < 4; count += 1) await ask('Mock the clock')
    const last = (await found('mock clock')).at(-1) ?? 0
    await open(db, last, await people(2, course), 'mock clock')
    assert.notEqual((await found('mock clock'))[0], last)
    await open(db, last, await people(3, course), 'mock clock')
    assert.equal((await found('mock clock'))[0], last)
  })

  test('Korean words are learned without their particles', async () => {
    const { db } = forum
    const { course, target, found } = await aField(db)
    await open(db, target.id, await people(3, course), '컨테이너에서 접속이 거부')
    assert.equal((await found('컨테이너 접속'))[0], target.id)
  })

  test('a search that finds a duplicate finds the question it was linked to after it', async () => {
    const { db } = forum
    const { course, target, found } = await aField(db)
    const staff = await aMember(db, course, 'instructor')
    const other = await aQuestion(db, { course, title: 'Quagga of mine', body: 'It is so.' })
    const link = (originalId: number | null) =>
      within(db, setDuplicate, { questionId: other.id, originalId, actorId: staff.id })
    await link(target.id)
    assert.deepEqual(await found('quagga'), [other.id, target.id])
    await link(null)
    assert.deepEqual(await found('quagga'), [other.id])
  })

  test('whose words they are is not stored', async () => {
    const { db } = forum
    const { course, target } = await aField(db)
    await open(db, target.id, await people(2, course), 'mock clock')
    const rows = await rowsOf(db, 'search_openings', { question_id: target.id })
    assert.equal(new Set(rows.map(({ who }) => who.toString('hex'))).size, 4, 'each row is of its own')
    const columns = ['lexemes', 'opened_on', 'question_id', 'who', 'word']
    assert.deepEqual(Object.keys(rows[0] ?? {}).sort(), columns)
  })

  test('the title is sent with the button where the question would be for everybody', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const target = await aQuestion(db, { course, title: 'Mock the clock', answers: 1 })
    const asker = await signedIn(forum.app, await aMember(db, course))
    const fields = { course: course.slug, title: 'How to mock a clock?', body: 'Text.', tags: '' }
    const sent = /<input type="hidden" name="title" value="How to mock a clock\?">/
    assert.match((await asker.post('/questions/preview', fields)).body, sent)
    for (const one of [{ audience: 'staff' }, { anonymous: '1' }])
      assert.doesNotMatch((await asker.post('/questions/preview', { ...fields, ...one })).body, sent)
    const path = `/questions/${target.id}/following?instead=1`
    const answer = await asker.post(path, { value: 1, title: fields.title })
    assert.equal(answer.statusCode, 303)
    const kept = await rowOf(db, 'asked_instead', { question_id: target.id })
    assert.deepEqual(kept.lexemes, ['mock', 'clock'])
    for (const title of ['x'.repeat(10_000), 'a\u0000b', '💥'])
      assert.equal((await asker.post(path, { value: 1, title })).statusCode, 303)
  })

  test('the page of results says to who is signed in what to send, and visitors send nothing', async () => {
    const { db, app } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course, title: 'Mock the moonclock' })
    const searched = '/search?q=is:unresolved+moonclock'
    assert.doesNotMatch((await visitor(app).get(searched)).body, /data-openings/)
    const person = await signedIn(app, await someone(course))
    const page = (await person.get(searched)).body
    assert.match(page, /<script type="module" src="[^"]*searching\.[^"]*"><\/script>/)
    assert.match(page, /data-openings hidden>.*name="q" value="moonclock"/)
    const sign = signIn(page)
    const path = `/questions/${question.id}/opening`
    const words = async () =>
      (await rowsOf(db, 'search_openings', { question_id: question.id })).map(({ word }) => word)
    const other = await aQuestion(db, { course, title: 'Mock the sunclock' })
    for (const [opened, fields] of [
      [path, { q: 'moonclock' }],
      [path, { q: 'moonclock', sign: sign.slice(1) }],
      [path, { q: 'anything else', sign }],
      [`/questions/${other.id}/opening`, { q: 'moonclock', sign }],
    ] as const)
      assert.equal((await person.post(opened, fields)).statusCode, 303)
    const another = await signedIn(app, await someone(course))
    assert.equal((await another.post(path, { q: 'moonclock', sign })).statusCode, 303)
    assert.equal((await visitor(app).post(path, { q: 'moonclock', sign })).statusCode, 303)
    assert.deepEqual(await words(), [], 'the page of results is another')
    assert.equal((await person.post(path, { q: 'moonclock', sign })).statusCode, 303)
    assert.deepEqual(await words(), ['moonclock'])
    for (const q of ['', 'a\u0000', '💥', 'x'.repeat(10_000), '"'])
      assert.equal((await person.post(path, { q, sign })).statusCode, 303)
    assert.equal((await person.post(path, {}, { token: null })).statusCode, 403)
    assert.equal((await person.post('/questions/999999999/opening', { q: 'x' })).statusCode, 404)
  })

  test('a sign holds until the day after, and for nothing else', () => {
    const opening = { questionId: 1, personId: 2, subject: 'mock clock' }
    const sign = (age: number) => signOfResult(SECRET.secret, opening, Date.now() - age * 86_400_000)
    assert.deepEqual(
      [0, 1, 2, -1].map((age) => isOfResult(SECRET.secret, opening, sign(age))),
      [true, true, false, false],
    )
    for (const other of [{ personId: 3 }, { questionId: 3 }, { subject: '' }])
      assert.ok(!isOfResult(SECRET.secret, { ...opening, ...other }, sign(0)))
    assert.ok(!isOfResult('another', opening, sign(0)))
  })

  test('three new accounts lead no words anywhere, nor do unconfirmed ones or those that have no part in the course', async () => {
    const { db } = forum
    const { course, target } = await aField(db)
    const words = async () => (await rowsOf(db, 'search_openings', { question_id: target.id })).length
    const outsider = await aPerson(db, { joinedAt })
    const unconfirmed = await aPerson(db, { joinedAt, isConfirmed: false })
    await aMember(db, course, 'learner', unconfirmed)
    const strangers = [await aMember(db, course), await aMember(db, course), unconfirmed, outsider]
    await open(db, target.id, strangers, 'clock')
    assert.equal(await words(), 0)
    const kept = await aQuestion(db, { course, author: outsider })
    await setAudience(db, kept.id, 'staff')
    await db.deleteFrom('course_members').where('person_id', '=', outsider.id).execute()
    await open(db, target.id, [outsider], 'clock')
    assert.equal(await words(), 0, 'nobody sees what they wrote')
    await anAnswer(db, { question: await aQuestion(db, { course }), author: outsider })
    await db.deleteFrom('course_members').where('person_id', '=', outsider.id).execute()
    await open(db, target.id, [outsider], 'clock')
    assert.equal(await words(), 1)
    const withoutMail = { ...SECRET, needsConfirmed: false }
    const opening = { questionId: target.id, personId: unconfirmed.id, subject: 'clock' }
    await noteOpening(db, withoutMail, opening)
    assert.equal(await words(), 2, 'no address can be confirmed where no mail is sent')
  })
})
