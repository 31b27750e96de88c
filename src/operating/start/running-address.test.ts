import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { aPerson } from '../../testing/builders.ts'
import { runCommand } from '../../testing/command.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { startInProcess } from './testing.ts'

const MAIN = join(import.meta.dirname, '../../tools/cli/main.ts')

test('`user link` prints the address of the forum that runs, and its own again once that has stopped', async (t) => {
  const { person, variables, link } = await aForum(t)
  assert.match(await link(), /^http:\/\/127\.0\.0\.1:3000\/sign-in\/link/m)
  const forum = await startInProcess(t, variables)
  await forum.line(/is ready on/)

  assert.ok((await link()).includes(`${forum.url}/sign-in/link?token=`), person.email)
  assert.match(
    await link({ BASE_URL: 'https://forum.example.org' }),
    /^https:\/\/forum\.example\.org\/sign-in/m,
  )

  forum.kill('SIGTERM')
  await forum.ended
  assert.match(await link(), /^http:\/\/127\.0\.0\.1:3000\/sign-in\/link/m)
})

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  const person = await aPerson(db)
  const variables = { DATABASE_URL: url, DATA_DIR: await aFolder(t), LOG_LEVEL: 'silent' }
  const link = async (more: Readonly<Record<string, string>> = {}) => {
    const environment = { ...variables, ...more }
    const { code, output } = await runCommand(process.execPath, [MAIN, 'user', 'link', person.email], {
      environment,
    })
    assert.equal(code, 0, output)
    return output
  }
  return { person, variables, link }
}
