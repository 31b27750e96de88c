import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEdThread, edDocument, edUser } from './ed/ed-testing.ts'
import { converted } from './imports-testing.ts'

const AT = '2026-02-01T01:00:00Z'

test('words of a file that objects have members for mean nothing', async (t) => {
  const document = edDocument('<constructor>a</constructor><paragraph>b &amp;constructor; c</paragraph>')
  const thread = anEdThread(41, { user: edUser('Mina', '__proto__'), category: '\u202e', document, text: '' })
  const ed = await converted(t, { 'threads.json': [thread] })
  assert.equal(ed.lines.people[0]?.role, null)
  assert.deepEqual(ed.lines.categories, [])
  assert.match(ed.lines.questions[0]?.body ?? '', /^a\s+b \S*constructor; c$/)

  const child = { id: 'c', type: 'constructor', created: AT, uid: 'u', anon: 'no', subject: 'x' }
  const posts = [{ ...child, id: 'k', type: 'question', nr: 1, children: [child] }]
  const users = [{ user_id: 'u', name: 'Mina', role: 'toString' }]
  const piazza = await converted(t, { 'class_content.json': posts, 'users.json': users })
  assert.equal(piazza.lines.questions.length, 1)
  assert.equal(piazza.lines.people[0]?.role, null)
  assert.equal(piazza.counts['other posts']?.read, 1)
})
