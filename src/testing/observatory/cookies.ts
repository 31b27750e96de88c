import { isHstsKept } from './headers.ts'
import { type Scanned, type Verdict, valuesOf } from './scan.ts'

/** From the best to the worst: of all cookies the worst counts. */
const WORST_LAST = [
  { result: 'cookies-secure-with-httponly-sessions-and-samesite', modifier: 5 },
  { result: 'cookies-secure-with-httponly-sessions', modifier: 0 },
  { result: 'cookies-without-secure-flag-but-protected-by-hsts', modifier: -5 },
  { result: 'cookies-without-secure-flag', modifier: -20 },
  { result: 'cookies-session-without-secure-flag-but-protected-by-hsts', modifier: -10 },
  { result: 'cookies-samesite-flag-invalid', modifier: -20 },
  { result: 'cookies-anticsrf-without-samesite-flag', modifier: -20 },
  { result: 'cookies-session-without-httponly-flag', modifier: -30 },
  { result: 'cookies-session-without-secure-flag', modifier: -40 },
] as const satisfies readonly Verdict[]

type Result = (typeof WORST_LAST)[number]['result']

/** Set-Cookie: src/analyzer/tests/cookies.js of mdn/mdn-http-observatory. */
export function cookieRule(scanned: Scanned): Verdict {
  const cookies = valuesOf(scanned, 'set-cookie')
  if (cookies.length === 0) return { result: 'cookies-not-found', modifier: 0 }
  const results = new Set<Result>(cookies.flatMap((cookie) => resultsOf(cookie, isHstsKept(scanned))))
  const [best] = WORST_LAST
  return WORST_LAST.findLast(({ result }) => results.has(result)) ?? best
}

function resultsOf(cookie: string, isKept: boolean): Result[] {
  const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim().toLowerCase())
  const name = pair.split('=')[0] ?? ''
  const isSession = name.includes('login') || name.includes('sess')
  const isSecure = attributes.includes('secure')
  const sameSite = attributes
    .find((attribute) => /^samesite\b/.test(attribute))
    ?.split('=')[1]
    ?.trim()
  const isNowhere = !attributes.some((attribute) => /^samesite\b/.test(attribute))
  const results: Result[] = []
  if (!isNowhere && !['lax', 'strict', 'none'].includes(sameSite ?? ''))
    results.push('cookies-samesite-flag-invalid')
  if (sameSite === 'none' && !isSecure) results.push('cookies-samesite-flag-invalid')
  if (!isSecure)
    results.push(isKept ? 'cookies-without-secure-flag-but-protected-by-hsts' : 'cookies-without-secure-flag')
  if (isSession && !isSecure)
    results.push(
      isKept
        ? 'cookies-session-without-secure-flag-but-protected-by-hsts'
        : 'cookies-session-without-secure-flag',
    )
  if (isSession && !attributes.includes('httponly')) results.push('cookies-session-without-httponly-flag')
  if (isNowhere) results.push('cookies-secure-with-httponly-sessions')
  if (isNowhere && name.includes('csrf')) results.push('cookies-anticsrf-without-samesite-flag')
  return results
}
