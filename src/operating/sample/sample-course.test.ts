import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, valuesOf } from '../../testing/rows.ts'
import { readSample, type SampleQuestion } from './sample-file.ts'

const HANGUL = /\p{Script=Hangul}/u

const course = await readSample('en')

test('the sample course has its lectures, its staff and learners from several places', () => {
  assert.equal(course.slug, 'restful-web-services-with-java')
  assert.equal(course.title, 'RESTful Web Services with Java')
  assert.equal(course.field, 'Backend')
  assert.equal(course.language, 'en')
  assert.equal(course.timeZone, 'Asia/Seoul')
  assert.deepEqual(
    valuesOf(course.lectures, 'position'),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  assert.deepEqual(namesOf('instructor'), ['Mara Ilić'])
  assert.equal(namesOf('assistant').length, 1)
  assert.ok(namesOf('learner').length >= 6)
  assert.ok(course.people.every((person) => person.email === `${person.key}@handup.example`))
})

test('the questions are in all the states a forum has', () => {
  const { questions } = course
  assert.ok(questions.length >= 14)
  assert.ok(questions.every(({ tags, lecture }) => tags.length > 0 && lecture !== null))
  assert.ok(questions.some((question) => question.answers.length === 0))
  assert.ok(questions.some((question) => question.answers.length > 1 && !question.isResolved))
  assert.ok(questions.some((question) => question.answers.length > 2 && question.isResolved))
  assert.ok(questions.some((question) => question.replies.length > 0))
  assert.ok(
    questions.some(
      (question) => question.isResolved && !question.answers.some((answer) => answer.isAccepted),
    ),
  )
  assert.ok(questions.filter((question) => question.answers.some((answer) => answer.isAccepted)).length > 3)
})

test('several questions are asked and answered in Korean', () => {
  const korean = course.questions.filter(
    (question) => HANGUL.test(question.title) && HANGUL.test(question.body),
  )
  assert.ok(korean.length >= 4)
  assert.ok(
    korean.filter((question) => question.answers.some((answer) => HANGUL.test(answer.body))).length >= 3,
  )
})

test('the question about hypermedia, mapper and wrapper is answered, thanked for and still unresolved', () => {
  const question = find((candidate) => candidate.tags.includes('hateoas'))
  assert.match(question.title, /without hypermedia links.*object mapper.*ResponseEntity/)
  assert.match(question.body, /JSON/)
  assert.deepEqual([question.author, question.isResolved, question.votes], ['minseo', false, []])
  const [answer, ...others] = question.answers
  assert.ok(answer !== undefined && others.length === 0)
  assert.deepEqual([answer.author, answer.votes, answer.isAccepted], ['mara', [], false])
  assert.match(answer.body, /optional.*level 3 of the maturity model/s)
  assert.match(answer.body, /Level 2.*verbs\) are mapped to resources/s)
  assert.match(answer.body, /wrapper is optional.*controller classes.*control.*headers and the body/s)
  assert.match(answer.body, /List \| `GET` \| `\/books` \|/)
  assert.match(answer.body, /Detail \| `GET` \| `\/books\/\{book_id\}` \|/)
  assert.match(answer.body, /Add \| `POST` \| `\/books` \|.*…/s)
  assert.deepEqual(valuesOf(answer.replies, 'author'), ['minseo'])
  assert.match(answer.replies[0]?.body ?? '', /Thank you/)
})

function namesOf(role: string) {
  return course.people.filter((person) => person.role === role).map((person) => person.name)
}

function find(isIt: (question: SampleQuestion) => boolean): SampleQuestion {
  const question = course.questions.find(isIt)
  assert.ok(question)
  return question
}

test('the Korean sample is of the same make, all of it in Korean', async () => {
  const korean = await readSample('ko')
  assert.deepEqual([korean.language, korean.lectures.length], ['ko', course.lectures.length])
  assert.deepEqual(
    columnsOf(korean.questions, 'author', 'lecture', 'tags'),
    course.questions.map(({ author, lecture, tags }) => [author, lecture, tags]),
  )
  for (const { title, body, answers } of korean.questions)
    assert.ok(
      [title, body, ...answers.map((answer) => answer.body)].every((text) => HANGUL.test(text)),
      title,
    )
})
