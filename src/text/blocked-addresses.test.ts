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
  for (const host of [
    'example.com',
    'www.example.com',
    'a.b.example.com:8443',
    'example.com.',
    '192.0.2.1:80',
  ])
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
  const isBlocked = (entry: string, email: string) => emailFinder(['other.example', entry])(email)
  assert.ok(isBlocked('example.com', 'anyone@example.com'))
  assert.ok(isBlocked('example.com', 'anyone@mail.example.com'))
  assert.ok(!isBlocked('example.com', 'anyone@notexample.com'))
  assert.ok(isBlocked('someone@example.com', 'someone@example.com'))
  assert.ok(!isBlocked('someone@example.com', 'someone@mail.example.com'))
  assert.ok(!isBlocked('someone@example.com', 'awesomeone@example.com'))
  assert.ok(isBlocked('spam*@example.com', 'spam123@example.com'))
  assert.ok(!isBlocked('spam*@example.com', 'spam@mail.example.com'))
  assert.ok(!isBlocked('spam*@example.com', 'ham@example.com'))
  assert.ok(isBlocked('mail*.example', 'anyone@mail12.example'))
  assert.ok(isBlocked('*@temp.example', 'anyone@temp.example'))
  assert.ok(!emailFinder([])('anyone@example.com'))
})
