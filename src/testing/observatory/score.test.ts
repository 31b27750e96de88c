import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Scanned } from './scan.ts'
import { observatoryScore, SCANNER } from './score.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; frame-ancestors 'none'"
const GOOD: Scanned['headers'] = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}
const FROM_HTTP = ['http://forum.example/', 'https://forum.example/']

const scan = (headers: Scanned['headers'], more: Partial<Scanned> = {}) =>
  observatoryScore({ url: 'https://forum.example/', headers, body: '', fromHttp: FROM_HTTP, ...more })
const resultsOf = (headers: Scanned['headers'], more?: Partial<Scanned>) =>
  scan({ ...GOOD, ...headers }, more).verdicts.map(({ result }) => result)

suite('the score of the Observatory', () => {
  test('is 130 for good headers, 135 with good cookies, 140 with hashes of scripts', () => {
    const cookies = [
      '__Host-session=x; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-csrf=x; Secure; SameSite=Lax',
    ]
    const body = '<script src="/a.js" integrity="sha384-x"></script>'
    assert.deepEqual([scan(GOOD).score, scan(GOOD).grade], [130, 'A+'])
    assert.equal(scan({ ...GOOD, 'set-cookie': cookies }).score, 135)
    assert.equal(scan({ ...GOOD, 'set-cookie': cookies }, { body }).score, 140)
  })

  test('is an F for a site that says nothing, and never below 0', () => {
    assert.deepEqual(scan({}, { fromHttp: ['http://forum.example/'] }).score, 100 - 25 - 20 - 20 - 5 - 20)
    const worst = scan(
      {
        'set-cookie': 'session=x',
        'access-control-allow-origin': SCANNER,
        'access-control-allow-credentials': 'true',
      },
      { fromHttp: ['http://forum.example/'] },
    )
    assert.deepEqual([worst.score, worst.grade], [0, 'F'])
  })

  test('gives no bonus to who has lost more than ten points', () => {
    const { 'strict-transport-security': _, ...bare } = GOOD
    assert.deepEqual([scan(bare).score, scan(bare).grade], [80, 'B+'])
    assert.equal(scan({ ...GOOD, 'strict-transport-security': 'max-age=100' }).score, 120)
  })

  const policies: [string, string][] = [
    ["script-src 'self' 'unsafe-inline'", 'csp-implemented-with-unsafe-inline'],
    ["default-src 'self' https:", 'csp-implemented-with-unsafe-inline'],
    ["script-src 'self'", 'csp-implemented-with-unsafe-inline'],
    [
      "script-src 'nonce-x' 'unsafe-inline'; object-src 'none'; style-src 'self'",
      'csp-implemented-with-no-unsafe',
    ],
    ["script-src 'strict-dynamic'; object-src 'none'", 'csp-header-invalid'],
    [
      "script-src 'strict-dynamic' 'sha256-x' https:; object-src 'none'; style-src 'self'",
      'csp-implemented-with-no-unsafe',
    ],
    ["default-src 'self'; connect-src http://x.example", 'csp-implemented-with-insecure-scheme'],
    ["default-src 'self' 'unsafe-eval'", 'csp-implemented-with-unsafe-eval'],
    ["default-src 'self'; img-src http:", 'csp-implemented-with-insecure-scheme-in-passive-content-only'],
    ["default-src 'none'; style-src 'unsafe-inline'", 'csp-implemented-with-unsafe-inline-in-style-src-only'],
    ["default-src 'self'", 'csp-implemented-with-no-unsafe'],
    ["default-src 'none'", 'csp-implemented-with-no-unsafe-default-src-none'],
    ['', 'csp-not-implemented'],
  ]
  for (const [policy, result] of policies) {
    test(`calls the policy «${policy}» ${result}`, () => {
      const headers = { 'content-security-policy': policy }
      assert.equal(resultsOf(headers)[0], result)
    })
  }

  const cookies: [string, string][] = [
    ['a=b; Secure', 'cookies-secure-with-httponly-sessions'],
    ['a=b; SameSite=Lax', 'cookies-without-secure-flag-but-protected-by-hsts'],
    ['session=b; HttpOnly; SameSite=Lax', 'cookies-session-without-secure-flag-but-protected-by-hsts'],
    ['session=b; Secure; SameSite=Lax', 'cookies-session-without-httponly-flag'],
    ['csrf=b; Secure; HttpOnly', 'cookies-anticsrf-without-samesite-flag'],
    ['a=b; Secure; SameSite=Sometimes', 'cookies-samesite-flag-invalid'],
    ['a=b; Secure; SameSite', 'cookies-samesite-flag-invalid'],
  ]
  for (const [cookie, result] of cookies) {
    test(`calls the cookie «${cookie}» ${result}`, () => {
      assert.equal(resultsOf({ 'set-cookie': ['fine=1; Secure; SameSite=Lax', cookie] })[1], result)
    })
  }

  test('tells where plain http leads', () => {
    const [http, https] = FROM_HTTP
    const other = 'https://other.example/'
    for (const [fromHttp, result] of [
      [null, 'redirection-not-needed-no-http'],
      [[http], 'redirection-missing'],
      [[http, https], 'redirection-to-https'],
      [[http, other], 'redirection-off-host-from-http'],
      [[http, 'http://www.forum.example/', other], 'redirection-not-to-https-on-initial-redirection'],
      [[http, https, 'http://forum.example/x'], 'redirection-not-to-https'],
    ] as [string[] | null, string][]) {
      assert.equal(resultsOf({}, { fromHttp })[3], result)
    }
  })

  test('tells scripts of one’s own from others’, with and without a hash', () => {
    for (const [script, result] of [
      ['', 'sri-not-implemented-but-no-scripts-loaded'],
      ['<script src="/a.js">', 'sri-not-implemented-but-all-scripts-loaded-from-secure-origin'],
      ['<script src="https://cdn.example/a.js">', 'sri-not-implemented-but-external-scripts-loaded-securely'],
      [
        '<script src="https://cdn.example/a.js" integrity="x">',
        'sri-implemented-and-external-scripts-loaded-securely',
      ],
      [
        '<script src="//cdn.example/a.js" integrity="x">',
        'sri-implemented-but-external-scripts-not-loaded-securely',
      ],
      [
        '<script src="http://cdn.example/a.js">',
        'sri-not-implemented-and-external-scripts-not-loaded-securely',
      ],
    ] as const) {
      assert.equal(resultsOf({}, { body: `<p>${script}</script>` })[6], result, script)
    }
    assert.equal(resultsOf({ 'content-type': 'text/css' })[6], 'sri-not-implemented-response-not-html')
  })

  test('names what is wrong with each other header', () => {
    for (const [name, value, result] of [
      ['access-control-allow-origin', '*', 'cross-origin-resource-sharing-implemented-with-public-access'],
      [
        'access-control-allow-origin',
        SCANNER,
        'cross-origin-resource-sharing-implemented-with-restricted-access',
      ],
      ['referrer-policy', 'unsafe-url', 'referrer-policy-unsafe'],
      ['referrer-policy', 'x', 'referrer-policy-header-invalid'],
      ['strict-transport-security', 'includeSubDomains', 'hsts-header-invalid'],
      ['strict-transport-security', 'max-age=1', 'hsts-implemented-max-age-less-than-six-months'],
      ['x-content-type-options', 'sniff', 'x-content-type-options-header-invalid'],
      [
        'cross-origin-resource-policy',
        'cross-origin',
        'cross-origin-resource-policy-implemented-with-cross-origin',
      ],
      ['cross-origin-resource-policy', 'x', 'cross-origin-resource-policy-header-invalid'],
    ] as const) {
      assert.ok(resultsOf({ [name]: value }).includes(result), `${name}: ${value}`)
    }
    const framed = { 'content-security-policy': "default-src 'none'" }
    assert.ok(resultsOf(framed).includes('x-frame-options-not-implemented'))
    assert.ok(
      resultsOf({ ...framed, 'x-frame-options': 'DENY' }).includes('x-frame-options-sameorigin-or-deny'),
    )
    assert.ok(resultsOf({ ...framed, 'x-frame-options': 'allow' }).includes('x-frame-options-header-invalid'))
  })
})
