import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSample } from './sample-file.ts'

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
