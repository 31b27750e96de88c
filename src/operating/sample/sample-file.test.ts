import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { columnsOf, valuesOf } from '../../testing/rows.ts'
import { parseSample, readSample, type SampleQuestion } from './sample-file.ts'

const ENGLISH = await readFile(join(import.meta.dirname, '../../../db/sample/en.yaml'), 'utf8')
/** The question that is broken below. */
const EXAMPLE = ENGLISH.slice(ENGLISH.indexOf('- title: 415 Unsupported'))
const PLACE = 'questions.10'

const BROKEN: readonly [what: string, from: string, to: string, message: string][] = [
  ['a title too short', 'title: 415 Unsupported', 'title: "4" # Unsupported', `${PLACE}.title: Too small`],
  ['a sixth tag', '[http-status', '[a, b, c, http-status', `${PLACE}.tags: Too big`],
  ['a tag in capitals', 'curl]', 'Curl]', `${PLACE}.tags.2: must be 1 to 32 lower-case`],
  ['a field nobody knows', 'views: ', 'seen: 1\n  views: ', `${PLACE}: Unrecognized key: "seen"`],
  ['what is no YAML', 'tags: [', 'tags: [[', 'YAMLParseError: Flow sequence'],
  [
    'an answer without its author',
    'answers:\n  - author: aleks\n    hours',
    'answers:\n  - hours',
    `${PLACE}.answers.0.author: `,
  ],
  [
    'an answer without words',
    'answers:\n',
    'answers:\n  - author: tom\n    hoursAgo: 42.2\n    body: " "\n',
    `${PLACE}.answers.0.body: Too small`,
  ],
  ['a stranger', 'author: tom', 'author: bob', `${PLACE}: the course has nobody called bob`],
  ['a vote for oneself', 'votes: [diego]', 'votes: [tom]', `${PLACE}.votes: tom votes on an own post`],
  ['a vote cast twice', 'votes: [diego]', 'votes: [diego, diego]', `${PLACE}.votes: somebody votes twice`],
  [
    'an answer older than its question',
    'hoursAgo: 42\n',
    'hoursAgo: 44.5\n',
    `${PLACE}.answers: aleks's post of 44.5 hours ago stands after one of 44 hours ago`,
  ],
  [
    'a reply older than its question',
    'hoursAgo: 43\n',
    'hoursAgo: 44.5\n',
    `${PLACE}.replies: aleks's post of 44.5 hours ago stands after one of 44 hours ago`,
  ],
  ['a question older than the one before', 'hoursAgo: 44\n', 'hoursAgo: 4400\n', 'questions: tom'],
  [
    'a lecture the course has not',
    'lecture: 8',
    'lecture: 80',
    `${PLACE}.lecture: the course has no lecture 80`,
  ],
]

for (const [what, from, to, message] of BROKEN)
  test(`${what} gives one line that names the file and the path inside it`, () => {
    assert.ok(EXAMPLE.includes(from))
    refused(ENGLISH.replace(EXAMPLE, EXAMPLE.replace(from, to)), message)
  })

test('a time zone nobody knows and an address given twice are refused', () => {
  refused(ENGLISH.replace('Asia/Seoul', 'Asia/Soul'), 'timeZone: must be a time zone')
  refused(ENGLISH.replace('tom@', 'mara@'), 'people: mara@handup.example stands twice')
})

test('a second accepted answer is refused', () => {
  const second = ENGLISH.replace('votes: [diego, mara]', '$&\n    isAccepted: true').replace(
    'votes: [aleks, diego, tom, lena, jisoo, harin]',
    '$&\n    isAccepted: true',
  )
  refused(second, 'questions.1.answers: more than one answer is accepted')
})

test('line ends of Windows change nothing', () => {
  assert.deepEqual(parseSample(ENGLISH.replaceAll('\n', '\r\n'), 'en.yaml'), parseSample(ENGLISH, 'en.yaml'))
})

function refused(yaml: string, message: string) {
  assert.notEqual(yaml, ENGLISH)
  assert.throws(
    () => parseSample(yaml, 'en.yaml'),
    (error: unknown) =>
      error instanceof Error &&
      error.message.startsWith(`en.yaml: ${message}`) &&
      !error.message.includes('\n'),
  )
}

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
