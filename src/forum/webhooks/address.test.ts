import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Refused } from '../../kernel/problem.ts'
import { type Reach, readWebhookAddress, shownAddress, webhookAddressRule } from './address.ts'
import type { WebhookKind } from './kinds.ts'

const PUBLIC: Reach = { webhookHosts: [], databaseUrl: 'postgres://forum:x@db.example:6543/forum' }
const NAMED: Reach = {
  ...PUBLIC,
  webhookHosts: ['chat.school.internal', '127.0.0.1:9000', '[::1]:9001', '10.1.2.3:8065', 'one.internal:81'],
}

/** What an address is refused for; '': it is taken. */
function refusalOf(address: string, kind: WebhookKind = 'standard', reach = PUBLIC): string {
  try {
    readWebhookAddress(reach, kind, address)
    return ''
  } catch (error) {
    assert.ok(error instanceof Refused)
    return error.message.replace('url: webhooks.url.', '')
  }
}

function assertRefusals(table: readonly (readonly [address: string, refusal: string])[], reach = PUBLIC) {
  assert.deepEqual(
    table.map(([address]) => [address, refusalOf(address, 'standard', reach)]),
    table,
  )
}

suite('the address of a webhook', () => {
  test('is public and https, at its default port or from 1024 on', () => {
    assertRefusals([
      ['https://receiver.example/hook?key=1', ''],
      ['  https://receiver.example:8443/  ', ''],
      ['https://192.0.0.9.example/', ''],
      ['https://1.1.1.1/', ''],
      ['https://[2606:4700::1111]/', ''],
      ['', 'wrong'],
      ['receiver.example', 'wrong'],
      ['ftp://receiver.example/', 'wrong'],
      ['javascript:alert(1)', 'wrong'],
      ['https://receiver.example/#part', 'wrong'],
      [`https://receiver.example/${'x'.repeat(2000)}`, 'wrong'],
      ['http://receiver.example/', 'https'],
      ['http://receiver.example:8080/', 'https'],
      ['https://receiver.example:22/', 'port'],
      ['https://receiver.example:1023/', 'port'],
      ['https://receiver.example:80/', 'port'],
      ['https://name@receiver.example/', 'user'],
      ['https://receiver.example:word@169.254.169.254/', 'user'],
    ])
  })

  test('leads neither to this machine nor to a neighbour, however it is written', () => {
    const hosts = [
      ...['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1', '0', '[::1]', '[::]'],
      ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]', '[fe80::1]'],
      ...['10.0.0.1', '172.16.5.4', '192.168.1.1', '100.64.0.1', '[fd12::1]', '[2002:7f00:1::]'],
      ...['localhost', 'LOCALHOST.', 'a.localhost', 'db', 'metadata', 'metadata.google.internal'],
      ...['169.254.169.254', '0xa9fea9fe', '2852039166', '[fd00:ec2::254]', '[fd20:ce::254]'],
      '168.63.129.16',
      ...['[::ffff:169.254.169.254]', '[::ffff:168.63.129.16]', '100.100.100.200'],
    ]
    assertRefusals(hosts.map((host) => [`https://${host}/`, 'private'] as const))
  })

  test('never has the port of our database', () => {
    assertRefusals([
      ['https://receiver.example:6543/', 'port'],
      ['https://receiver.example:5432/', ''],
    ])
    assert.equal(
      refusalOf('https://receiver.example:5432/', 'standard', { ...PUBLIC, databaseUrl: null }),
      'port',
    )
    const own = { ...PUBLIC, webhookHosts: ['127.0.0.1:6543', 'db.internal'] }
    assert.equal(refusalOf('http://db.internal:6543/', 'standard', own), 'port')
    assert.equal(webhookAddressRule(own)('127.0.0.1', '127.0.0.1', 6543), false)
    assert.equal(webhookAddressRule(own)('10.0.0.9', 'db.internal', 6543), false)
    assert.equal(webhookAddressRule(own)('10.0.0.9', 'db.internal', 443), true)
  })

  test('may be what the operator named, by http as well, this machine at the named port alone', () => {
    assertRefusals(
      [
        ['http://chat.school.internal/hooks/abc', ''],
        ['https://chat.school.internal:8443/', ''],
        ['http://127.0.0.1:9000/', ''],
        ['http://[::1]:9001/', ''],
        ['http://10.1.2.3:8065/', ''],
        ['http://one.internal:81/', ''],
        ['http://127.0.0.1:9001/', 'private'],
        ['http://127.0.0.1/', 'private'],
        ['http://localhost:9000/', 'private'],
        ['http://10.1.2.3/', 'private'],
        ['http://one.internal/', 'https'],
        ['http://user@127.0.0.1:9000/', 'user'],
      ],
      NAMED,
    )
  })

  test('fits its kind, unless the operator named its host', () => {
    const fitting: Readonly<Record<Exclude<WebhookKind, 'standard'>, readonly string[]>> = {
      slack: ['https://hooks.slack.com/services/T0/B0/abc'],
      discord: ['https://discord.com/api/webhooks/12/abc', 'https://discordapp.com/api/v10/webhooks/12/abc'],
      teams: [
        'https://prod-12.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?sig=x',
        'https://default1.a.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/x',
      ],
    }
    const kinds = Object.keys(fitting) as (keyof typeof fitting)[]
    for (const kind of kinds) {
      for (const other of kinds)
        for (const address of fitting[other])
          assert.equal(refusalOf(address, kind), other === kind ? '' : kind, address)
      for (const address of [
        'https://receiver.example/services/x',
        'https://hooks.slack.com.evil.example/services/x',
        'https://evil.example/hooks.slack.com/services/x',
        'https://x.webhook.office.com/webhookb2/abc',
        'https://logic.azure.com.evil.example/x',
      ])
        assert.equal(refusalOf(address, kind), kind, address)
      assert.equal(refusalOf('http://chat.school.internal/hooks/abc', kind, NAMED), '')
    }
  })

  test('is shown by its host, and by its last characters where it is long', () => {
    const shown = (address: string) => shownAddress(new URL(address))
    assert.equal(
      shown('https://hooks.slack.com/services/T012345/B012345/secret1234'),
      'hooks.slack.com/…1234',
    )
    assert.equal(shown('https://receiver.example:8443/hook'), 'receiver.example:8443/…')
    assert.equal(shown('https://receiver.example'), 'receiver.example')
  })
})

suite('a connection of a webhook', () => {
  const isAllowed = webhookAddressRule(NAMED)

  test('goes to public addresses, whatever name led there', () => {
    for (const address of ['1.1.1.1', '2606:4700::1111']) {
      assert.ok(isAllowed(address, 'receiver.example', 443))
      assert.ok(isAllowed(address, 'receiver.example', 8443))
      assert.ok(!isAllowed(address, 'receiver.example', 80))
      assert.ok(!isAllowed(address, 'receiver.example', 22))
    }
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      'fd00:ec2::254',
      'x',
      '168.63.129.16',
    ])
      assert.ok(!isAllowed(address, 'receiver.example', 443), address)
  })

  test('goes into a private network by a name of the operator’s, and to this machine by name and port', () => {
    for (const address of ['10.0.0.1', 'fd12::1', '1.1.1.1']) {
      assert.ok(isAllowed(address, 'Chat.school.internal', 80))
      assert.ok(isAllowed(address, 'chat.school.internal', 8065))
      assert.ok(!isAllowed(address, 'chat.school.internal', 22))
    }
    for (const address of [
      '127.0.0.1',
      '169.254.169.254',
      'fd00:ec2::254',
      'fd00:0ec2:0::254',
      '0.0.0.0',
      'fe80::1',
    ])
      assert.ok(!isAllowed(address, 'chat.school.internal', 443), address)
    assert.ok(isAllowed('127.0.0.1', '127.0.0.1', 9000))
    assert.ok(!isAllowed('127.0.0.1', '127.0.0.1', 9001))
    assert.ok(isAllowed('::1', '::1', 9001))
  })
})
