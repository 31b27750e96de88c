import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { observatoryFaults, SCANNER } from './observatory.ts'

const POLICY = "default-src 'none'; script-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
const GOOD = {
  'content-security-policy': POLICY,
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'set-cookie': [
    '__Host-session=x; Path=/; HttpOnly; Secure; SameSite=Lax',
    '__Host-csrf=x; Secure; SameSite=Strict',
  ],
}
const BODY = '<script type="module" src="/assets/app.js"></script>'

suite('the rules of the Observatory', () => {
  test('find no fault with good headers', () => {
    assert.deepEqual(observatoryFaults({ headers: GOOD, body: BODY }), [])
  })

  test('name everything that is missing', () => {
    const missing = Object.keys(GOOD).filter((name) => name !== 'set-cookie')
    const faults = observatoryFaults({ headers: {}, body: '' })
    assert.deepEqual(faults.sort(), [...missing, 'frame-ancestors'].sort())
  })

  for (const [name, value] of [
    ['content-security-policy', "default-src 'self'; frame-ancestors 'none'"],
    ['content-security-policy', `${POLICY}; style-src 'unsafe-inline'`],
    ['content-security-policy', `${POLICY}; style-src data:`],
    ['content-security-policy', `${POLICY}; connect-src https:`],
    ['content-security-policy', `${POLICY}; img-src http://x.example`],
    ['strict-transport-security', 'max-age=100'],
    ['strict-transport-security', 'includeSubDomains'],
    ['referrer-policy', 'unsafe-url'],
    ['x-content-type-options', 'sniff'],
    ['cross-origin-resource-policy', 'cross-origin'],
    ['access-control-allow-origin', '*'],
    ['access-control-allow-origin', SCANNER],
    ['set-cookie', 'session=x; Secure; SameSite=Lax'],
    ['set-cookie', 'session=x; HttpOnly; SameSite=Lax'],
    ['set-cookie', 'csrf=x; Secure'],
    ['set-cookie', 'a=x; Secure; SameSite=None'],
  ] as const) {
    test(`refuse ${name}: ${value}`, () => {
      assert.deepEqual(observatoryFaults({ headers: { ...GOOD, [name]: value }, body: BODY }), [name])
    })
  }

  for (const source of ['https://cdn.example/a.js', '//cdn.example/a.js', 'a.js']) {
    test(`refuse a script from ${source}`, () => {
      const body = `<script src="${source}"></script>`
      assert.deepEqual(observatoryFaults({ headers: GOOD, body }), ['script'])
    })
  }
})
