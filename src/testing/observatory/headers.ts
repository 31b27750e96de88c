import { namesFrameAncestors } from './policy.ts'
import { firstOf, type Scanned, type Verdict, valuesOf } from './scan.ts'

/** Seconds: six months, as the scanner counts them. */
const SIX_MONTHS = 15_552_000

/** Strict-Transport-Security; the list of preloaded sites is not ours to look into. */
export function hstsRule(scanned: Scanned): Verdict {
  if (!scanned.url.startsWith('https:')) return { result: 'hsts-not-implemented-no-https', modifier: -20 }
  const value = firstOf(scanned, 'strict-transport-security')
  if (value === null) return { result: 'hsts-not-implemented', modifier: -20 }
  const age = /(?:^|;)\s*max-age=(\d+)/.exec(value)?.[1]
  if (age === undefined || value.includes(',')) return { result: 'hsts-header-invalid', modifier: -20 }
  return Number(age) < SIX_MONTHS
    ? { result: 'hsts-implemented-max-age-less-than-six-months', modifier: -10 }
    : { result: 'hsts-implemented-max-age-at-least-six-months', modifier: 0 }
}

/** Whether browsers would ask by https only from now on. */
export function isHstsKept(scanned: Scanned): boolean {
  return hstsRule(scanned).modifier === 0
}

const PRIVATE = ['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin']
const LEAKING = ['origin', 'origin-when-cross-origin', 'unsafe-url', 'no-referrer-when-downgrade']

/** Of several the last that is known counts. */
export function referrerRule(scanned: Scanned): Verdict {
  const values = valuesOf(scanned, 'referrer-policy').flatMap((value) => value.toLowerCase().split(','))
  if (values.length === 0) return { result: 'referrer-policy-not-implemented', modifier: 0 }
  const known = values
    .map((value) => value.trim())
    .findLast((value) => [...PRIVATE, ...LEAKING].includes(value))
  if (known === undefined) return { result: 'referrer-policy-header-invalid', modifier: -5 }
  return PRIVATE.includes(known)
    ? { result: 'referrer-policy-private', modifier: 5 }
    : { result: 'referrer-policy-unsafe', modifier: -5 }
}

export function sniffingRule(scanned: Scanned): Verdict {
  const value = firstOf(scanned, 'x-content-type-options')
  if (value === null) return { result: 'x-content-type-options-not-implemented', modifier: -5 }
  return value === 'nosniff'
    ? { result: 'x-content-type-options-nosniff', modifier: 0 }
    : { result: 'x-content-type-options-header-invalid', modifier: -5 }
}

export function framingRule(scanned: Scanned): Verdict {
  if (namesFrameAncestors(scanned)) return { result: 'x-frame-options-implemented-via-csp', modifier: 5 }
  const value = firstOf(scanned, 'x-frame-options')
  if (value === null) return { result: 'x-frame-options-not-implemented', modifier: -20 }
  if (value === 'deny' || value === 'sameorigin')
    return { result: 'x-frame-options-sameorigin-or-deny', modifier: 0 }
  return value.startsWith('allow-from')
    ? { result: 'x-frame-options-allow-from-origin', modifier: 0 }
    : { result: 'x-frame-options-header-invalid', modifier: -20 }
}

export function resourceRule(scanned: Scanned): Verdict {
  const name = 'cross-origin-resource-policy'
  const value = firstOf(scanned, name)
  if (value === null) return { result: `${name}-not-implemented`, modifier: 0 }
  if (value === 'cross-origin') return { result: `${name}-implemented-with-cross-origin`, modifier: 0 }
  return value === 'same-origin' || value === 'same-site'
    ? { result: `${name}-implemented-with-${value}`, modifier: 10 }
    : { result: `${name}-header-invalid`, modifier: -5 }
}

/** @param origin whom the scanner said to be asking from */
export function sharingRule(scanned: Scanned, origin: string): Verdict {
  const name = 'cross-origin-resource-sharing'
  const value = firstOf(scanned, 'access-control-allow-origin')
  if (value === null) return { result: `${name}-not-implemented`, modifier: 0 }
  if (value === '*') return { result: `${name}-implemented-with-public-access`, modifier: 0 }
  const isOpen = value === origin && firstOf(scanned, 'access-control-allow-credentials') === 'true'
  return isOpen
    ? { result: `${name}-implemented-with-universal-access`, modifier: -50 }
    : { result: `${name}-implemented-with-restricted-access`, modifier: 0 }
}
