import { expect, type Page } from 'playwright/test'
import { barriers, PHONE, tooWide } from './inspection.ts'

/** How a walk through forms is tried: what the one hasn't, a small window, no scripts, the other language, the other has. */
export const WAYS = [
  ['with a mouse', 'en', {}],
  [
    'without scripts, on a phone, in Korean',
    'ko',
    { javaScriptEnabled: false, viewport: PHONE, locale: 'ko-KR' },
  ],
] as const

/** What of a page each way can show: axe is a script, and a phone is narrow. */
export async function expectSoundIn(page: Page, how: (typeof WAYS)[number][0]): Promise<void> {
  expect(how === 'with a mouse' ? await barriers(page) : await tooWide(page)).toEqual([])
}
