import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopbackHost } from '../text/hosts.ts'
import { addressRule } from './guarded-fetch.ts'

test('what the operator named may be private, and nothing else', () => {
  const isAllowed = addressRule({ privateHosts: ['sso.school.internal'], loopbackHost: null })
  for (const address of ['10.1.2.3', '172.16.0.9', '192.168.7.7', 'fd00::7', '142.250.74.138'])
    assert.ok(isAllowed(address, 'SSO.school.internal'), address)
  for (const address of ['127.0.0.1', '::1', '169.254.169.254', 'fe80::1', '0.0.0.0', '100.64.0.1', 'x'])
    assert.ok(!isAllowed(address, 'sso.school.internal'), address)
  assert.ok(!isAllowed('10.1.2.3', 'other.school.internal'))
  assert.ok(!isAllowed('10.1.2.3', '10.1.2.3'))
})

test('this machine is reached by the one name that the environment gave', () => {
  const isAllowed = addressRule({ privateHosts: [], loopbackHost: '127.0.0.1' })
  assert.ok(isAllowed('127.0.0.1', '127.0.0.1'))
  assert.ok(!isAllowed('127.0.0.1', 'localhost'))
  assert.ok(!isAllowed('10.0.0.1', '127.0.0.1'))
  const hosts = ['localhost', 'sso.localhost', '127.0.0.1', '127.9.9.9', '[::1]'].map(isLoopbackHost)
  assert.deepEqual(hosts, [true, true, true, true, true])
  const others = ['localhost.example', '10.0.0.1', 'example.org', '[fe80::1]'].map(isLoopbackHost)
  assert.deepEqual(others, [false, false, false, false])
})
