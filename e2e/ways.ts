import { expect, type Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

/** How a walk through forms is tried: what the one hasn't, a small window, no scripts, the other language, the other has. */
export const WAYS = [
  { how: 'with a mouse', language: 'en', t: translatorOf('en'), options: {} },
  {
    how: 'without scripts, on a phone, in Korean',
    language: 'ko',
    t: translatorOf('ko'),
    options: { javaScriptEnabled: false, viewport: PHONE, locale: 'ko-KR' },
  },
] as const

/** Checks of a page what each way can show: axe is a script, and a phone is narrow. */
export async function expectSoundIn(page: Page, how: (typeof WAYS)[number]['how']): Promise<void> {
  expect(how === 'with a mouse' ? await barriers(page) : await tooWide(page)).toEqual([])
}
