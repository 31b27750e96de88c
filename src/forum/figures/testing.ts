import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import { ASKED_WEEKS } from '../../testing/asked-course.ts'
import type { Browser } from '../../testing/browser.ts'

/** A figure's CSV, each row as an object. */
export async function rowsOf(
  browser: Browser,
  course: { readonly slug: string },
  figure: string,
  range: object = ASKED_WEEKS,
) {
  const query = new URLSearchParams({ ...range, figure })
  const answer = await browser.get(`/courses/${course.slug}/figures.csv?${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
  return parse(answer.body, { bom: true, columns: true }) as Record<string, string>[]
}
