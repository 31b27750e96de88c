import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { readSample, SampleError } from './sample-files.ts'

const FOLDER = resolve(import.meta.dirname, '../../../db/sample/en')
const EXAMPLE = 'questions/11-unsupported-media-type.md'

const scratch = await mkdtemp(join(tmpdir(), 'handup-sample-'))
after(() => rm(scratch, { recursive: true, force: true }))

const BROKEN: readonly [what: string, file: string, from: string, to: string, message: RegExp][] = [
  ['a title too short', EXAMPLE, 'title: 415 Unsupported', 'title: 4 # Unsupported', /: title: /],
  ['a sixth tag', EXAMPLE, '[http-status', '[a, b, c, http-status', /: tags: /],
  ['a tag in capitals', EXAMPLE, 'curl]', 'Curl]', /: tags\.2: must be 1 to 32 lower-case/],
  ['a field nobody knows', EXAMPLE, 'views: ', 'seen: 1\nviews: ', /: Unrecognized key: "seen"/],
  ['front matter that is no YAML', EXAMPLE, 'tags: [', 'tags: [[', /at line \d+/],
  ['no front matter', EXAMPLE, '---\n', '', /must begin with the question's fields/],
  [
    'an answer without words',
    EXAMPLE,
    '--- answer',
    '--- reply by: tom, hours_ago: 42.2\n\n--- answer',
    /: --- reply by: tom/,
  ],
  [
    'a section that is neither answer nor reply',
    EXAMPLE,
    '--- answer',
    '--- anwser',
    /anwser.*must be an answer or a reply/,
  ],
  [
    'an answer without its author',
    EXAMPLE,
    '--- answer by: aleks, hours',
    '--- answer hours',
    /: --- answer .*by: /,
  ],
  ['a stranger', EXAMPLE, 'author: tom', 'author: bob', /nobody called bob/],
  ['a vote for oneself', EXAMPLE, 'votes: [diego]', 'votes: [tom]', /tom votes on an own post/],
  ['a vote cast twice', EXAMPLE, 'votes: [diego]', 'votes: [diego, diego]', /votes twice/],
  [
    'an answer older than its question',
    EXAMPLE,
    'hours_ago: 44',
    'hours_ago: 40',
    /stands after one of 40 hours ago/,
  ],
  ['a lecture the course has not', EXAMPLE, 'lecture: 8', 'lecture: 80', /no lecture 80/],
  ['a time zone nobody knows', 'course.yaml', 'Asia/Seoul', 'Asia/Soul', /time_zone: must be a time zone/],
  ['an address given twice', 'course.yaml', 'tom@', 'mara@', /mara@handup\.example stands twice/],
]

for (const [what, file, from, to, message] of BROKEN) {
  test(`${what} gives one line that names the file`, async () => {
    const folder = await mkdtemp(join(scratch, 'broken-'))
    await cp(FOLDER, folder, { recursive: true })
    const content = await readFile(join(folder, file), 'utf8')
    assert.ok(content.includes(from))
    await writeFile(join(folder, file), content.replace(from, to))
    await assert.rejects(
      readSample(folder),
      (error: unknown) => isOneLine(error, file) && message.test(error.message),
    )
  })
}

test('a folder without a sample gives one line that names the missing file', async () => {
  await assert.rejects(readSample(join(scratch, 'nowhere')), (error: unknown) =>
    isOneLine(error, 'course.yaml'),
  )
})

test('line ends of Windows change nothing', async () => {
  const folder = await mkdtemp(join(scratch, 'windows-'))
  await cp(FOLDER, folder, { recursive: true })
  const content = await readFile(join(folder, EXAMPLE), 'utf8')
  await writeFile(join(folder, EXAMPLE), content.replaceAll('\n', '\r\n'))
  assert.deepEqual(await readSample(folder), await readSample(FOLDER))
})

function isOneLine(error: unknown, file: string): error is SampleError {
  return (
    error instanceof SampleError && error.message.startsWith(`${file}: `) && !error.message.includes('\n')
  )
}
