import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressError, readAddresses } from './hosts.ts'

test('one host is one address, whatever its parameters', () => {
  for (const url of [
    'postgres://handup:se%40cret@db.example.org/handup',
    'postgresql://db:5433/handup?sslmode=require',
    'postgres://u@[::1]:5432/handup',
  ])
    assert.deepEqual(readAddresses(url), { urls: [url], target: 'any', timeouts: {} })
})

test('several hosts are several addresses, in their order, each with its port', () => {
  assert.deepEqual(
    readAddresses('postgres://u:p@h1:1,[::1]:2,h3/handup?sslmode=require&target_session_attrs=read-write'),
    {
      urls: [
        'postgres://u:p@h1:1/handup?sslmode=require',
        'postgres://u:p@[::1]:2/handup?sslmode=require',
        'postgres://u:p@h3/handup?sslmode=require',
      ],
      target: 'read-write',
      timeouts: {},
    },
  )
})

test('timeouts in the URL are read, and not sent to the server', () => {
  assert.deepEqual(
    readAddresses('postgres://h/handup?connect_timeout=10&statement_timeout=0&sslmode=require'),
    {
      urls: ['postgres://h/handup?sslmode=require'],
      target: 'any',
      timeouts: { connectionTimeout: 10_000, statementTimeout: 0 },
    },
  )
  assert.throws(
    () => readAddresses('postgres://h/handup?statement_timeout=10s'),
    /statement_timeout is a whole number/,
  )
})

test('hosts and ports may be parameters; one port counts for all; a folder is that of a socket', () => {
  assert.deepEqual(readAddresses('postgres://u@/handup?host=h1,::1&port=5433').urls, [
    'postgres://u@h1:5433/handup',
    'postgres://u@[::1]:5433/handup',
  ])
  assert.deepEqual(readAddresses('postgres:///handup?host=/run/postgresql&port=5433').urls, [
    'postgres://localhost/handup?host=%2Frun%2Fpostgresql&port=5433',
  ])
})

test('what is no address is refused with what would do', () => {
  const cases: [string, RegExp][] = [
    ['mysql://h/x', /must be an address beginning with postgres:\/\//],
    ['postgres://h1:1,:2/x', /must be an address with hosts such as/],
    ['postgres://h1,/x', /with hosts such as/],
    ['postgres://h1:99999/x', /with hosts such as/],
    ['postgres:///x?host=a,b,c&port=1,2', /one port for each host/],
    ['postgres://h/x?target_session_attrs=standby', /target_session_attrs is read-write, primary or any/],
  ]
  for (const [url, message] of cases)
    assert.throws(
      () => readAddresses(url),
      (error) => error instanceof AddressError && message.test(error.message),
      url,
    )
})
