import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { atEnd } from '../testing/at-end.ts'
import { GuardedClient, isPublic } from './guarded-fetch.ts'
import { createServer } from './transport/node-http.ts'

const BOUNDS = { deadline: 10_000, maxBytes: 1000 }

/** A server on this machine that answers by its paths, and clients of it. */
async function aServer(t: TestContext) {
  const connections: unknown[] = []
  const paths: string[] = []
  const server = createServer((request, reply) => {
    paths.push(request.url ?? '')
    if (request.url === '/away') return reply.writeHead(302, { location: '/elsewhere' }).end()
    if (request.url === '/long') return reply.end(Buffer.alloc(100_000, 'x'))
    if (request.url === '/drip') {
      const timer = setInterval(() => reply.write('x'), 5)
      return reply.on('close', () => clearInterval(timer))
    }
    return reply.end(request.headers['x-asked'])
  })
  server.on('connection', (socket) => connections.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, async () => {
    server.closeAllConnections()
    server.close()
  })
  const clientOf = (isAllowed?: (address: string) => boolean) => {
    const client = new GuardedClient(isAllowed)
    atEnd(t, async () => client.close())
    return client
  }
  return { port: (server.address() as AddressInfo).port, connections, paths, clientOf }
}

suite('fetching what somebody named', () => {
  test('connects to public addresses only, by name and by number', async (t) => {
    const { port, connections, clientOf } = await aServer(t)
    const client = clientOf()
    const hosts = ['localhost', '127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '0']
    const addresses = ['169.254.169.254', '10.0.0.1', '[fd00::1]', '100.64.0.1']
    for (const protocol of ['http', 'https'])
      for (const host of [...hosts, ...addresses]) {
        const url = `${protocol}://${host}:${port}/`
        await assert.rejects(client.fetch({ url, method: 'GET' }, BOUNDS), /not public/, url)
      }
    assert.equal(connections.length, 0)
    const allowed: string[] = []
    const open = clientOf((address) => allowed.push(address) > 0)
    const asked = { method: 'GET', headers: { 'x-asked': 'yes' } } as const
    const fetched = await open.fetch({ url: `http://localhost:${port}/`, ...asked }, BOUNDS)
    assert.deepEqual([fetched.status, String(fetched.body), fetched.isWhole], [200, 'yes', true])
    await open.fetch({ url: `http://127.0.0.1:${port}/`, method: 'GET' }, BOUNDS)
    assert.ok(allowed.includes('127.0.0.1'))
    for (const url of ['file:///etc/passwd', 'ftp://example.com/'])
      await assert.rejects(client.fetch({ url, method: 'GET' }, BOUNDS), TypeError)
  })

  test('follows no redirect, and ends what is too long or takes too long', async (t) => {
    const { port, paths, clientOf } = await aServer(t)
    const client = clientOf(() => true)
    const fetch = (path: string, bounds: Parameters<GuardedClient['fetch']>[1] = BOUNDS) =>
      client.fetch({ url: `http://127.0.0.1:${port}${path}`, method: 'GET' }, bounds)
    const away = await fetch('/away')
    assert.deepEqual([away.status, away.headers.location, paths], [302, '/elsewhere', ['/away']])
    const long = await fetch('/long')
    assert.deepEqual([long.body.length, long.isWhole], [BOUNDS.maxBytes, false])
    await assert.rejects(fetch('/drip', { ...BOUNDS, deadline: 100 }), /abort|timeout/i)
    await assert.rejects(fetch('/', { ...BOUNDS, signal: AbortSignal.abort() }))
  })

  test('keeps a connection to one place, of which the address was checked', async (t) => {
    const { port, connections, clientOf } = await aServer(t)
    const client = clientOf(() => true)
    for (let count = 0; count < 5; count += 1)
      await client.fetch({ url: `http://localhost:${port}/`, method: 'POST', body: 'x' }, BOUNDS)
    assert.equal(connections.length, 1)
  })

  test('knows the addresses of the open Internet', () => {
    for (const address of ['142.250.74.138', '2a00:1450:4001:82a::200a'])
      assert.ok(isPublic(address), address)
    const own = [
      ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1'],
      ...['0.0.0.0', '224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
      ...['::1', '::', 'fe80::1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', 'x'],
    ]
    for (const address of own) assert.ok(!isPublic(address), address)
  })
})
