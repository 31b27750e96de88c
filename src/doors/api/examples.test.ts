import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { aToken } from '../../accounts/tokens/testing.ts'
import { loadSample, sampleSignIns } from '../../operating/sample/sample.ts'
import { aForum } from '../../testing/forum.ts'
import { COURSE, EXAMPLES, HOST } from './documentation.ts'
import { ENDPOINTS } from './endpoints.ts'
import { fitsSchema } from './testing.ts'

const run = promisify(execFile)

test('every example of the documentation in curl and JavaScript does what it says', async (t) => {
  const { app, db } = await aForum(t)
  const { slug } = await loadSample(db)
  assert.equal(slug, COURSE)
  const learner = (await sampleSignIns(db, 'en')).find(({ role }) => role === 'learner') ?? assert.fail()
  const token = await aToken({ db }, { id: learner.personId }, ['read', 'write'])
  const host = await app.listen({ port: 0, host: '127.0.0.1' })
  // Links are followed: they lead to this forum.
  Object.assign(app.config, { baseUrl: host })
  const env = { ...process.env, HANDUP_TOKEN: token }
  for (const { name, operation, curl, javascript } of EXAMPLES) {
    const endpoint = ENDPOINTS.find((one) => one.name === operation) ?? assert.fail(operation)
    const commands = [
      ['sh', '-c', curl.replace(/^curl/, 'curl -sS --fail-with-body')],
      [process.execPath, '--input-type=module', '-e', javascript],
    ]
    for (const [command = '', ...args] of commands) {
      const { stdout } = await run(
        command,
        args.map((arg) => arg.replaceAll(HOST, host)),
        { env },
      )
      fitsSchema(endpoint, JSON.parse(stdout), `${name}: ${command}`)
    }
  }
})
