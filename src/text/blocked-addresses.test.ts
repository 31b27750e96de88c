import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockedDomain, blockedEmail, domainFinder, emailFinder } from './blocked-addresses.ts'

test('a domain is typed, with a star before it, or pasted as an address', () => {
  const read: Readonly<Record<string, string | null>> = {
    'Example.COM': 'example.com',
    'https://www.example.com/x?y=1#z': 'www.example.com',
    '//example.com/x': 'example.com',
    'example.com:8080': 'example.com',
    '*.example.com': 'example.com',
    'example.com.': 'example.com',
    '사이트.한국': 'xn--vf4b27jhrk.xn--3e0b707e',
    'ｅｘａｍｐｌｅ.com': 'example.com',
    '192.0.2.1': '192.0.2.1',
    example: null,
    '123': null,
    'ex*mple.com': null,
    'a b.com': null,
    'someone@example.com': null,
    'mailto:someone@example.com': null,
    'javascript:alert(1).x': null,
    '[::1]': null,
    '.': null,
  }
  for (const [typed, domain] of Object.entries(read)) assert.equal(blockedDomain(typed), domain, typed)
})

test('a domain has itself and what is below it, whatever the port', () => {
  const isBlocked = domainFinder(['example.com', '192.0.2.1'])
  const below = ['www.example.com', 'a.b.example.com:8443']
  for (const host of ['example.com', 'example.com.', '192.0.2.1:80', ...below])
    assert.ok(isBlocked(host), host)
  for (const host of ['notexample.com', 'example.com.evil.example', 'com', '', '2.192.0.2.1.example'])
    assert.ok(!isBlocked(host), host)
  assert.ok(!isBlocked('a.'.repeat(20_000)))
})

test('an address is whole, a domain with or without @, or has stars', () => {
  const read: Readonly<Record<string, string | null>> = {
    'Someone@Example.com': 'someone@example.com',
    '@example.com': 'example.com',
    'example.com': 'example.com',
    'spam*@example.com': 'spam*@example.com',
    '*@mail*.example': '*@mail*.example',
    'someone@사이트.한국': 'someone@xn--vf4b27jhrk.xn--3e0b707e',
    '*.*': null,
    someone: null,
    'a@b@example.com': null,
    'some one@example.com': null,
    'someone@': null,
    '@': null,
  }
  for (const [typed, entry] of Object.entries(read)) assert.equal(blockedEmail(typed), entry, typed)
})

test('a domain has all addresses there and below, a whole address only itself', () => {
  for (const [entry, blocked, free] of [
    ['example.com', ['anyone@example.com', 'anyone@mail.example.com'], ['anyone@notexample.com']],
    ['someone@example.com', ['someone@example.com'], ['someone@mail.example.com', 'awesomeone@example.com']],
    ['spam*@example.com', ['spam123@example.com'], ['spam@mail.example.com', 'ham@example.com']],
    ['mail*.example', ['anyone@mail12.example'], []],
    ['*@temp.example', ['anyone@temp.example'], []],
  ] as const)
    assert.deepEqual([...blocked, ...free].filter(emailFinder(['other.example', entry])), blocked, entry)
  assert.ok(!emailFinder([])('anyone@example.com'))
})
