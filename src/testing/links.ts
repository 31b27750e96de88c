import assert from 'node:assert/strict'

/** Where a page's link to the page after or before it leads. */
export function pagerLink(html: string, rel: 'next' | 'prev'): string {
  const link = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1]
  assert.ok(link !== undefined, `no link to the ${rel} page`)
  return link.replaceAll('&amp;', '&')
}
