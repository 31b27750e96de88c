import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '../../operating/exchange/course-testing.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { handupHere } from './testing.ts'

test('a course is exported to a folder that isn’t there yet, with its progress', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const course = await aCourse(db, { slug: 'rest' })
  await aQuestion(db, { course, title: 'What is a verb?' })
  const folder = await aFolder(t)
  const path = join(folder, 'out')
  const handup = (...args: string[]) =>
    handupHere({ DATABASE_URL: url, DATA_DIR: folder }, 'export', 'course', ...args)
  const { code, output } = await handup('rest', path)
  assert.equal(code, 0, output)
  assert.match(output, /^Exporting: 100%$/m)
  assert.match(output, /^exported 1 questions, 0 answers, 0 replies, 1 people, 0 pictures: .*\/out$/m)
  assert.match(await readFile(join(path, 'questions.jsonl'), 'utf8'), /"title":"What is a verb\?"/)
  assert.match((await handup('rest', path)).output, /already exists: choose another name/)
  assert.match((await handup('none', `${path}2`)).output, /there is no course "none"/)
  const hidden = await handup('rest', `${path}3`, '--pseudonymous')
  assert.equal(hidden.code, 0, hidden.output)
  assert.match(await readFile(join(`${path}3`, 'people.jsonl'), 'utf8'), /"name":"Person 1"/)
})
