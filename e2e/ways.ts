import { PHONE } from './inspection.ts'

/** How a walk through forms is tried: what the one hasn't, a small window, no scripts, the other language, the other has. */
export const WAYS = [
  ['with a mouse', 'en', {}],
  [
    'without scripts, on a phone, in Korean',
    'ko',
    { javaScriptEnabled: false, viewport: PHONE, locale: 'ko-KR' },
  ],
] as const
