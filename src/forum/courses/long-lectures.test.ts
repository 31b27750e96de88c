import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measured } from '../../testing/processor-time.ts'
import { readMemberLines, readMemberList } from '../members/member-lines.ts'
import { LectureFileError, readLectureText, readLongLectures } from './lecture-file.ts'

const lines = (count: number, line: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('\n')

test('long tables are read in a thread, as short ones are, and what is wrong in them is told', async () => {
  const lectures = { text: lines(20_000, (number) => `${number},Lecture ${number}`), isTable: false }
  const list = lines(20_000, (number) => `person${number}@example.com,learner,,`)
  const members = { list, isTable: false, column: null }
  const { microseconds: here, result } = measured(() => [readLectureText(lectures), readMemberLines(members)])
  const before = process.threadCpuUsage()
  const read = [await readLongLectures(lectures), await readMemberList(members)]
  const { user, system } = process.threadCpuUsage(before)
  assert.deepEqual(read, result)
  assert.ok(user + system < here, `${user + system} of ${here} µs`)
  const open = { text: `1,"${'a'.repeat(20_000)}`, isTable: false }
  await assert.rejects(readLongLectures(open), LectureFileError)
  const short = { text: 'One\nTwo', isTable: false }
  assert.deepEqual(await readLongLectures(short), readLectureText(short))
})
