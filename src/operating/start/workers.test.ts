import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { until } from '../../testing/waiting.ts'
import { questionPath } from '../../web/paths.ts'
import { fetchAgain, HttpBrowser } from './browser-testing.ts'
import { assertStops, startInProcess } from './testing.ts'

test('WORKERS: several processes serve as one', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const question = await aQuestion(db)
  const path = questionPath(question)
  const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t), WORKERS: '2' }
  const forum = await startInProcess(t, variables)
  await forum.ready()
  const workers = await childrenOf(forum.pid)
  assert.equal(workers.length, 2)

  await t.test('what one has written the others show', async () => {
    const browser = new HttpBrowser(forum.url)
    await browser.signIn(await makeSignInLink(db, (await aPerson(db)).id, forum.url))
    const token = await browser.token(path)
    // Connections are distributed in turn: this many requests fill the cache of both workers.
    for (let visit = 0; visit < 6; visit += 1) await visitAlone(`${forum.url}${path}`)
    await browser.post(`/questions/${question.id}/answers`, { _csrf: token, body: 'Seen by everybody.' })
    await until('both show it', async () => {
      const pages = []
      for (let visit = 0; visit < 6; visit += 1) pages.push(await visitAlone(`${forum.url}${path}`))
      return pages.every((page) => page.includes('Seen by everybody'))
    })
  })

  await t.test('tries are counted together', async () => {
    const { max } = LIMITS.mail.address
    const answers = []
    for (let sent = 0; sent < max + 5; sent += 1) {
      const headers = { connection: 'close', 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await fetch(`${forum.url}/forgotten-password`, { method: 'POST', headers })
      answers.push(answer.status)
      await answer.body?.cancel()
    }
    // Refused for its token, after it was counted.
    assert.deepEqual(
      [answers.slice(0, max), answers.slice(max)].map((some) => [...new Set(some)]),
      [[403], [429]],
    )
  })

  await t.test('one that dies has a successor, and the others go on', async () => {
    process.kill(workers[0] ?? 0, 'SIGKILL')
    await forum.line(/^worker \d+ ended \(SIGKILL\): another one takes its place$/)
    assert.match(await visitAlone(`${forum.url}/questions`), /<h1/)
    await until('there are two again', async () => (await childrenOf(forum.pid)).length === 2)
  })

  await t.test('SIGTERM ends all of them, with 0', async () => {
    await assertStops(forum)
    for (const pid of workers) assert.throws(() => process.kill(pid, 0))
  })
})

/** On a connection of its own. */
async function visitAlone(url: string): Promise<string> {
  const answer = await fetchAgain(url, {
    headers: { connection: 'close', 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
  })
  assert.equal(answer.status, 200)
  return answer.text()
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
