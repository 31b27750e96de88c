import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { runCommand } from '../../testing/command.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { handupHere } from './testing.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
const LINK = /^https:\/\/forum\.example\.org\/sign-in\/link\?token=([\w-]{43})$/m

test('an account made without a password comes with a link that signs in', async (t) => {
  const { db, handup } = await aForum(t)
  const made = await handup('user create --email', ' Mina@Example.org', '--name', ' 김  민아', '--admin')
  assert.equal(made.code, 0, made.output)
  const person = await db.selectFrom('people').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(
    [person.email, person.display_name, person.is_admin, person.password_hash],
    ['mina@example.org', '김 민아', true, null],
  )
  const token = LINK.exec(made.output)?.[1]
  assert.ok(token !== undefined, made.output)
  const app = await testApp(t, db)
  assert.equal((await visitor(app).post('/sign-in/link', { token })).statusCode, 303)
})

test('a password is taken from standard input, and no link is printed', async (t) => {
  const { db, url } = await aForum(t)
  const command = `printf '%s\\n' '초록 대문 옆 자전거' | "$NODE" "$MAIN" user create --email mina@example.org --name Mina --password-stdin`
  const environment = { ...environmentOf(url), NODE: process.execPath, MAIN }
  const made = await runCommand('sh', ['-c', command], { environment })
  assert.equal(made.code, 0, made.output)
  assert.doesNotMatch(made.output, LINK)
  const app = await testApp(t, db)
  const fields = { email: 'mina@example.org', password: '초록 대문 옆 자전거' }
  assert.equal((await visitor(app).post('/sign-in', fields)).statusCode, 303)

  const weak = await runCommand('sh', ['-c', command.replace(/'초록[^']*'/, 'password1')], { environment })
  assert.deepEqual([weak.code, weak.output.trim().split('\n').length], [1, 1])
  assert.match(weak.output, /the password: This password is easy to guess/)
})

test('a link is made for an address in any case', async (t) => {
  const { handup } = await aForum(t)
  await handup('user create --email mina@example.org --name Mina')
  const link = await handup('user link MINA@example.org')
  assert.deepEqual([link.code, LINK.test(link.output)], [0, true])
})

test('a link to an account whose address nobody confirmed says what it does', async (t) => {
  const { db, handup } = await aForum(t)
  await aPerson(db, { email: 'prof@example.org', isConfirmed: false })
  const { code, output } = await handup('user link prof@example.org')
  assert.deepEqual([code, LINK.test(output)], [0, true])
  assert.match(output, /not confirmed: .* ends every other way into the account/)
})

test('what cannot be done gives one clear line and an exit code', async (t) => {
  const { handup } = await aForum(t)
  await handup('user create --email mina@example.org --name Mina')
  const REFUSED: readonly [line: string, message: RegExp][] = [
    ['link nobody@example.org', /no one has an account with nobody@example\.org/],
    ['create --email mina@example.org --name Mina', /an account with mina@example\.org already exists/],
    ['create --email mina --name Mina', /--email: Enter an email address like/],
    [`create --email joon@example.org --name ${'x'.repeat(51)}`, /--name: Use a name of up to 50 char/],
  ]
  for (const [line, message] of REFUSED) {
    const { code, output } = await handup(`user ${line}`)
    assert.equal(code, 1)
    assert.match(output, message)
    assert.equal(output.trim().split('\n').length, 1, output)
  }
})

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  const environment = environmentOf(url)
  const handup = (line: string, ...more: string[]) => handupHere(environment, ...line.split(' '), ...more)
  return { db, url, handup }
}

function environmentOf(url: string) {
  return { DATABASE_URL: url, BASE_URL: 'https://forum.example.org', LOG_LEVEL: 'silent' }
}
