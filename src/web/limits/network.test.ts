import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './limits.ts'

test('an IPv6 network is its /64, however its addresses are written', () => {
  for (const address of ['2001:db8:1:2::9', '2001:db8:1:2:3::1', '2001:0DB8:0001:2:0:0:0:1'])
    assert.equal(networkOf(address), '2001:db8:1:2::', address)
  assert.notEqual(networkOf('2001:db8:1:3::9'), networkOf('2001:db8:1:2::9'))
  assert.equal(networkOf('fe80::1%eth0'), networkOf('fe80::2%eth1'))
})

test('an IPv4 address is a network of its own, also written as an IPv6 address', () => {
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'])
    assert.equal(networkOf(address), '192.0.2.1', address)
  assert.notEqual(networkOf('::ffff:192.0.2.2'), networkOf('192.0.2.1'))
  assert.equal(networkOf(''), '')
})
