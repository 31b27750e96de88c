import assert from 'node:assert/strict'
import { type Mock, suite, test } from 'node:test'
import { type Fetched, GuardedClient, NotPublic } from '../../web/guarded-fetch.ts'
import { isDocumentAddress } from './app.ts'
import { ClientDocuments, NoDocument } from './client-document.ts'

const CLIENT = 'https://assistant.example/client.json'
const DOCUMENT = {
  client_id: CLIENT,
  client_name: 'Assistant',
  redirect_uris: ['https://assistant.example/callback', 'http://127.0.0.1/callback', 'assistant://callback'],
  token_endpoint_auth_method: 'none',
  logo_uri: 'https://assistant.example/logo.png',
}

suite('what an app says of itself', () => {
  /** Documents of a host that answers so. */
  function answering(answer: Partial<Fetched>) {
    const fetch = test.mock.fn(async () => ({
      ...{ status: 200, headers: { 'content-type': 'application/json' }, isWhole: true },
      ...{ body: Buffer.from(JSON.stringify(DOCUMENT)) },
      ...answer,
    }))
    return { fetch, documents: new ClientDocuments({ fetch }) }
  }
  const saying = (document: unknown) => ({ body: Buffer.from(JSON.stringify(document)) })
  const refuses = (documents: ClientDocuments, reason: NoDocument['reason'], what: string) =>
    assert.rejects(
      documents.find(CLIENT),
      (error) => error instanceof NoDocument && error.reason === reason,
      what,
    )

  test('is its name and the addresses that codes may go to, asked for within bounds and kept for a while', async () => {
    const { documents, fetch } = answering({})
    const app = await documents.find(CLIENT)
    assert.deepEqual(app, {
      clientId: CLIENT,
      name: 'Assistant',
      redirectUris: ['https://assistant.example/callback', 'http://127.0.0.1/callback'],
      isRegistered: false,
    })
    assert.equal(await documents.find(CLIENT), app)
    const [call, ...more] = (fetch as Mock<GuardedClient['fetch']>).mock.calls
    assert.deepEqual(more, [])
    assert.equal(call?.arguments[0].url, CLIENT)
    assert.deepEqual(call?.arguments[1], { deadline: 5000, maxBytes: 65_536 })
  })

  test('an app without a name is called by its host', async () => {
    for (const name of [undefined, '', 'x'.repeat(101), 'a\u0000b', 7]) {
      const { documents } = answering(saying({ ...DOCUMENT, client_name: name }))
      assert.equal((await documents.find(CLIENT)).name, 'assistant.example')
    }
  })

  test('a document of somebody else, or without an address of use, is none', async () => {
    const many = Array.from({ length: 21 }, (_, at) => `https://assistant.example/${at}`)
    const wrong: readonly unknown[] = [
      { ...DOCUMENT, client_id: `${CLIENT}?x` },
      { ...DOCUMENT, client_id: undefined },
      { ...DOCUMENT, redirect_uris: undefined },
      { ...DOCUMENT, redirect_uris: 'https://assistant.example/callback' },
      { ...DOCUMENT, redirect_uris: ['javascript:alert(1)', 'http://assistant.example/callback', 7] },
      { ...DOCUMENT, redirect_uris: many },
      { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_basic' },
      ...[null, [], 'text', 7],
    ]
    for (const document of wrong)
      await refuses(answering(saying(document)).documents, 'document', JSON.stringify(document))
    await refuses(answering({ body: Buffer.from('{') }).documents, 'document', 'broken')
    await refuses(answering({ body: Buffer.from([0x22, 0xff, 0x22]) }).documents, 'document', 'no UTF-8')
    await refuses(answering({ headers: { 'content-type': 'text/html' } }).documents, 'document', 'a page')
  })

  test('a redirect isn’t followed, what is too long isn’t read, and neither is kept', async () => {
    const moved = answering({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    await refuses(moved.documents, 'unreachable', 'redirect')
    await refuses(moved.documents, 'unreachable', 'redirect')
    assert.equal(moved.fetch.mock.callCount(), 2)
    await refuses(answering({ status: 404 }).documents, 'unreachable', 'missing')
    await refuses(answering({ isWhole: false }).documents, 'document', 'too long')
  })

  test('no host of this machine or of a private network is asked', async () => {
    const client = new GuardedClient()
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '[fd00::1]'])
      await assert.rejects(
        new ClientDocuments(client).find(`https://${host}/client.json`),
        (error) => error instanceof NoDocument && error.cause instanceof NotPublic,
        host,
      )
    client.close()
  })

  test('only an https address with a path, as browsers write it, is one of a document', () => {
    assert.equal(isDocumentAddress(CLIENT), true)
    assert.equal(isDocumentAddress(`${CLIENT}?version=2`), true)
    for (const address of [
      ...['', 'nobody', 'http://assistant.example/client.json', 'https://assistant.example/'],
      ...['https://assistant.example', `${CLIENT}#x`, `${CLIENT}#`],
      'https://me:x@assistant.example/client.json',
      ...['https://assistant.example/a/../client.json', 'https://ASSISTANT.example/client.json'],
      ...['https://0x7f.1/client.json', 'https://2130706433/client.json', 'https://0177.0.0.1/client.json'],
      ...['javascript:alert(1)', `https://assistant.example/${'x'.repeat(500)}`],
    ])
      assert.equal(isDocumentAddress(address), false, address)
  })
})
