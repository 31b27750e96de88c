import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { atEnd } from '../../testing/at-end.ts'
import { anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { runCommand } from '../../testing/command.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { questionPath } from '../../web/paths.ts'
import { HttpBrowser } from './browser-testing.ts'
import { freePort, startInProcess } from './testing.ts'

const GUIDE = join(import.meta.dirname, '../../../docs/operating.md')
const isInstalled = (await runCommand('nginx', ['-v'])).code === 0

test('nginx closes idle connections before a stopping forum does', async () => {
  const text = await readFile(GUIDE, 'utf8')
  const seconds = (pattern: RegExp) => Number(pattern.exec(text)?.[1])
  const kept = seconds(/^ +keepalive_timeout (\d+)s;$/m)
  assert.ok(kept > 0 && kept < seconds(/^DRAIN_SECONDS=(\d+)$/m), `${kept} s`)
})

test('behind nginx as docs/operating.md sets it up', { skip: !isInstalled }, async (t) => {
  const { db, url: databaseUrl } = await testDatabaseWithUrl(t)
  const [port, forumPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const forum = await startInProcess(t, {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: await aFolder(t), PORT: String(forumPort), BASE_URL: url },
    ...{ TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' },
  })
  await forum.ready()
  await startNginx(t, port, forumPort)
  const question = await aQuestion(db)
  const browser = new HttpBrowser(url)
  await browser.signIn(await makeSignInLink(db, (await aPerson(db)).id, url))

  await t.test('pages have each header once, and forms are posted', async () => {
    const page = await fetch(`${url}${questionPath(question)}`)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    const posted = await browser.post(`/questions/${question.id}/answers`, {
      _csrf: await browser.token(questionPath(question)),
      body: 'through the proxy',
    })
    assert.equal(posted.status, 303)
  })

  await t.test('a form that is too large gets the forum’s page', async () => {
    const answer = await fetch(`${url}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `email=${'x'.repeat(2 * 2 ** 20)}`,
    })
    assert.equal(answer.status, 413)
    assert.match(await answer.text(), /<main/)
  })

  await t.test('one that nginx refuses gets a page in the forum’s look', async () => {
    const answer = await fetch(`${url}/uploads`, { method: 'POST', body: 'x'.repeat(17 * 2 ** 20) })
    assert.equal(answer.status, 413)
    assert.match(await answer.text(), /<main>[\s\S]*Go back in your browser/)
  })

  await t.test('the log has the visitor’s own address, whatever they claim', async () => {
    await fetch(`${url}/desk`, { method: 'POST', headers: { 'x-forwarded-for': '203.0.113.9' } })
    assert.ok(!forum.lines().some((line) => line.includes('203.0.113.9')))
  })

  await t.test('an open page hears of a new answer at once', async () => {
    const heard = Promise.withResolvers<void>()
    const request = get(`${url}/live/questions/${question.id}`, (response) => {
      assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8')
      response.setEncoding('utf8').on('data', (text: string) => text.includes('data: 2') && heard.resolve())
    })
    t.after(() => request.destroy())
    await new Promise((resolve) => request.once('response', resolve))
    await anAnswer(db, { question })
    await heard.promise
  })

  await t.test('while the forum is away it says when to come back', async () => {
    forum.kill('SIGTERM')
    await forum.ended
    const answer = await fetch(url)
    assert.equal(answer.status, 503)
    assert.equal(answer.headers.get('retry-after'), '5')
  })
})

/** Uses the guide's block, with other ports and without TLS. */
async function startNginx(t: TestContext, port: number, forumPort: number): Promise<void> {
  const block = /```nginx\n(.*?)```/s.exec(await readFile(GUIDE, 'utf8'))?.[1] ?? ''
  const plainPort = await freePort()
  const servers = block
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plainPort}`)
    .replaceAll(/^ *listen \[::\].*$/gm, '')
    .replace('/srv/handup/', `${join(import.meta.dirname, '../../..')}/`)
    .replace('127.0.0.1:3000', `127.0.0.1:${forumPort}`)
    .replaceAll(/^ *ssl_.*$/gm, '')
  const folder = await aFolder(t)
  await chmod(folder, 0o755)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  const settings = join(folder, 'nginx.conf')
  await writeFile(
    settings,
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log ${folder}/errors;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${servers}}\n`,
  )
  const child = spawn('nginx', ['-c', settings, '-p', folder, '-e', join(folder, 'errors')], {
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  atEnd(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  for (let attempt = 0; attempt < 500; attempt += 1) {
    if (
      await fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await sleep(20)
  }
  throw new Error(await readFile(join(folder, 'errors'), 'utf8'))
}
