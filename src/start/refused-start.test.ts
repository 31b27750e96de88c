import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { aFolder } from '../database/embedded-testing.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { assertOneLine, freePort, startInProcess } from './testing.ts'

suite('a start that cannot be', () => {
  test('says in one line which variable is bad', async (t) => {
    await assertOneLine(await startInProcess(t, { PORT: 'x' }), /^handup: PORT must be a number/)
  })

  test('says in one line that the port is in use', async (t) => {
    const { url } = await testDatabaseWithUrl(t)
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const port = String((server.address() as AddressInfo).port)
    const forum = await startInProcess(t, { PORT: port, DATABASE_URL: url, DATA_DIR: await aFolder(t) })
    await assertOneLine(forum, new RegExp(`^handup: PORT ${port} on 127.0.0.1 is in use`))
  })

  test('says in one line what is wrong with the database', async (t) => {
    const { url } = await testDatabaseWithUrl(t)
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url)
      change(other)
      return other.href
    }
    const port = await freePort()
    const cases: [string, RegExp][] = [
      [
        changed((other) => (other.port = String(port))),
        /^handup: DATABASE_URL does not answer: .*ECONNREFUSED/,
      ],
      [
        changed((other) => (other.pathname = '/no_such_database')),
        /^handup: DATABASE_URL .*"no_such_database" does not exist/,
      ],
      [
        changed((other) => (other.password = 'wrong')),
        /^handup: DATABASE_URL .*password authentication failed/,
      ],
    ]
    const folder = await aFolder(t)
    await Promise.all(
      cases.map(async ([DATABASE_URL, pattern]) => {
        await assertOneLine(await startInProcess(t, { DATABASE_URL, DATA_DIR: folder }), pattern)
      }),
    )
  })
})
