import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../config.ts'
import { readPostmasterFile } from '../../database/embedded/postmaster.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { openDatabase } from '../../database/open.ts'
import { recount } from '../../database/recount.ts'
import { textOf } from '../../testing/page.ts'
import { fetchAgain, HttpBrowser } from './browser-testing.ts'
import { assertOneLine, assertStops, startInProcess } from './testing.ts'
import '../../tables.ts'

test('a first start on an empty folder, a second beside it, SIGTERM, and being killed while people post', async (t) => {
  const dataDir = join(await aFolder(t), 'data')
  const forum = await startInProcess(t, { DATA_DIR: dataDir })
  await forum.ready()

  await t.test('prints the address and a sign-in link for each role, on lines of their own', async () => {
    const links = [await forum.line(/^instructor http/), await forum.line(/^learner http/)]
    assert.ok(forum.lines().includes(`Handup is ready on ${forum.url}`), forum.lines().join('\n'))
    for (const line of links) {
      const browser = new HttpBrowser(forum.url)
      const link = line.split(' ')[1] ?? ''
      assert.ok(link.startsWith(`${forum.url}/sign-in/link?token=`))
      await browser.signIn(link)
      assert.equal((await browser.get('/settings')).status, 200)
      await assert.rejects(new HttpBrowser(forum.url).signIn(link), 'it works once')
    }
    assert.match(textOf(await (await fetch(forum.url)).text()), /RESTful Web Services with Java/)
  })

  await t.test(
    'a second start on the same folder is refused in one line, and the first goes on',
    async () => {
      const second = await startInProcess(t, { DATA_DIR: dataDir })
      await assertOneLine(second, /^handup: .*already.*process \d+|^handup: .*process \d+/)
      assert.equal((await fetch(`${forum.url}/readyz`)).status, 200)
    },
  )

  await t.test('SIGTERM ends it with 0, database included', async () => {
    await assertStops(forum)
    assert.equal(await readPostmasterFile(join(dataDir, 'postgres')), null)
  })

  await t.test(
    'killed with its database while people post, it has every acknowledged post once',
    async () => {
      await killWhilePosting(t, dataDir)
    },
  )
})

test('in production the sample’s people have no links, there is one to set the forum up, and every line is JSON', async (t) => {
  const forum = await startInProcess(t, { DATA_DIR: join(await aFolder(t), 'data'), NODE_ENV: 'production' })
  const link = /http\S+/.exec(await forum.line(/"msg":"set-up http/))?.[0] ?? ''
  assert.equal((await fetch(link)).status, 200)
  forum.kill('SIGTERM')
  assert.equal((await forum.ended).code, 0)
  for (const line of forum.lines()) {
    const entry: unknown = JSON.parse(line)
    assert.ok(typeof entry === 'object' && entry !== null && 'level' in entry && 'time' in entry, line)
    assert.doesNotMatch(line, /"msg":"(instructor|learner) /)
  }
  const refused = await startInProcess(t, { NODE_ENV: 'production', PORT: 'x' })
  await assertOneLine(refused, /^\{"level":60,.*"msg":"handup: PORT must be a number/)
})

/** Restarts, posts concurrently, kills app and database in the middle, restarts and compares. */
async function killWhilePosting(t: TestContext, dataDir: string): Promise<void> {
  const forum = await startInProcess(t, { DATA_DIR: dataDir })
  await forum.ready()
  const links = [await forum.line(/^instructor http/), await forum.line(/^learner http/)]
  const browsers = await Promise.all(
    links.map(async (line) => {
      const browser = new HttpBrowser(forum.url)
      await browser.signIn(line.split(' ')[1] ?? '')
      return { browser, token: await browser.token('/courses') }
    }),
  )
  const acknowledged = new Map<string, string>()
  let sent = 0
  const postOn = async ({ browser, token }: (typeof browsers)[number], column: number) => {
    for (;;) {
      sent += 1
      const body = `kept through a kill, ${column}, number ${sent}`
      const path = column % 2 === 0 ? '/questions' : '/questions/1/answers'
      const fields: Record<string, string> = { _csrf: token, body, title: body, tags: 'killed', course: '' }
      const answer = await browser.post(path, fields).catch(() => null)
      if (answer === null) return
      if (answer.status === 303) acknowledged.set(body, answer.headers.get('location') ?? '')
    }
  }
  const posting = Promise.all(
    Array.from({ length: 12 }, (_, column) => postOn(browsers[column % 2] ?? assert.fail(), column)),
  )
  while (acknowledged.size < 60) await new Promise((resolve) => setTimeout(resolve, 5))
  const server = await readPostmasterFile(join(dataDir, 'postgres'))
  forum.kill('SIGKILL')
  process.kill(server?.pid ?? assert.fail(), 'SIGKILL')
  await Promise.all([posting, forum.ended])

  const again = await startInProcess(t, { DATA_DIR: dataDir })
  await again.ready()
  const { db, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }), { role: 'command' })
  const [questions, answers] = await Promise.all([
    db.selectFrom('questions').select('body').where('body', 'like', 'kept through%').execute(),
    db.selectFrom('answers').select('body').where('body', 'like', 'kept through%').execute(),
  ])
  const differences = await recount(db)
  await close()
  const kept = [...questions, ...answers].map((row) => row.body)
  assert.equal(new Set(kept).size, kept.length, 'none twice')
  assert.deepEqual(
    [...acknowledged.keys()].filter((body) => !kept.includes(body)),
    [],
    'none lost',
  )
  assert.deepEqual(differences, [])
  const [path] = [...acknowledged.values()].filter((location) => !location.includes('#'))
  assert.match(await (await fetchAgain(`${again.url}${path}`)).text(), /kept through a kill/)
  again.kill('SIGTERM')
  assert.equal((await again.ended).code, 0)
}
