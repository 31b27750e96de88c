import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { aFolder } from '../../database/embedded/testing.ts'
import { freePort } from '../../operating/start/testing.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { setRows, valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { aReceiver, aWebhook, deliver, deliveriesOf, happen, WEBHOOK_SECRET } from './testing.ts'

const PAGE = join(import.meta.dirname, '../../../docs/webhooks.md')

/** The blocks of code of the page in a language. */
async function blocksOf(language: string): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  )
}

/** What the examples of the page are about, told to a receiver. */
async function theExamples(t: TestContext, url: string) {
  const db = await testDatabase(t)
  const ids = { people: 5, questions: 12, answers: 31, replies: 44, announcements: 7 }
  const next = (table: keyof typeof ids) =>
    sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${ids[table]}, false)`.execute(db)
  const course = await aCourse(db, { slug: 'rest', title: 'REST' })
  const asker = await aMember(db, course)
  for (const table of Object.keys(ids)) await next(table as keyof typeof ids)
  const mara = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara Ilić' }))
  const title = 'Which status after a DELETE?'
  const asked = { course, author: asker, isAnonymous: true, title, body: '204, or 200 with a body?' }
  const question = await aQuestion(db, asked)
  const body = 'Both are fine: 204 if there is *nothing* to say.'
  const answer = await anAnswer(db, { question, author: mara, body })
  const reply = await aReply(db, { answer, author: mara, body: 'And 404 the second time.' })
  const news = { title: 'Exam on Monday', body: 'At nine, in room 4.' }
  const announcement_id = await anAnnouncement(db, { ...news, courseId: course.id, authorId: mara.id })
  const ofReply = { question_id: question.id, answer_id: answer.id, reply_id: reply.id }
  const events = [
    { type: 'question.created', question_id: question.id },
    { type: 'answer.created', question_id: question.id, answer_id: answer.id },
    { type: 'reply.created', ...ofReply },
    { type: 'reply.removed', ...ofReply },
    { type: 'announcement.posted', announcement_id },
    { type: 'course.imported' },
  ]
  const types = events.map(({ type }) => type)
  const id = await aWebhook(db, { url, owner: mara, course_id: course.id, types })
  const at = { course_id: course.id, happened_at: sql<Date>`'2026-12-01T09:30:00Z'` }
  await happen(
    db,
    events.map((event) => ({ ...event, ...at })),
  )
  await sql`
    insert into webhook_deliveries (webhook_id, message_id, what, planned_at, due_at)
    values (${id}, 'msg_test', 'test', '2026-12-01T09:30:00Z', '2026-12-01T09:31:00Z')`.execute(db)
  const due_at = sql`now() - interval '1 minute' + id * interval '1 millisecond'`
  await setRows(db, 'webhook_deliveries', {}, { due_at })
  await deliver(db)
  return deliveriesOf(db, id)
}

test('docs/webhooks.md has one example of each payload, as it is sent', async (t) => {
  const receiver = await aReceiver(t)
  await theExamples(t, receiver.url)
  const examples = (await blocksOf('json')).map((block) => JSON.parse(block))
  assert.deepEqual(receiver.payloads(), examples)
})

for (const [language, command, file] of [
  ['js', process.execPath, 'receiver.mjs'],
  ['python', 'python3', 'receiver.py'],
] as const)
  test(`the receiver in ${language} of docs/webhooks.md takes what is signed, and nothing else`, async (t) => {
    if (!(await runs(command))) return t.skip(`${command} isn't here`)
    const [source = assert.fail('there is none')] = await blocksOf(language)
    assert.ok(source.split('\n').length <= 25)
    const path = join(await aFolder(t), file)
    await writeFile(path, source)
    const port = await freePort()
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET }
    const receiver = spawn(command, [path], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    t.after(() => receiver.kill())
    let printed = ''
    receiver.stdout.on('data', (part) => {
      printed += part
    })
    const url = `http://127.0.0.1:${port}/`
    const post = (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: '{"type":"forged"}' }).then(({ status }) => status)
    await until('it listens', () =>
      post({}).then(
        () => true,
        () => false,
      ),
    )
    const now = String(Math.floor(Date.now() / 1000))
    const forged = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': now,
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
    }
    for (const headers of [{}, forged, { ...forged, 'webhook-signature': '' }])
      assert.equal(await post(headers), 401)
    const deliveries = await theExamples(t, url)
    assert.deepEqual([...new Set(valuesOf(deliveries, 'outcome'))], ['204'])
    await until('it has read them', () => printed.includes('webhook.test'))
    assert.match(printed, /Which status after a DELETE\?/)
    assert.doesNotMatch(printed, /forged/)
  })

function runs(command: string): Promise<boolean> {
  const asked = spawn(command, ['--version'], { stdio: 'ignore' })
  return new Promise((resolve) => {
    asked.on('error', () => resolve(false))
    asked.on('exit', (code) => resolve(code === 0))
  })
}
