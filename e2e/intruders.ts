import type { Page } from 'playwright/test'

/** Elements and attributes that no template of ours and no Markdown makes. */
export function intruders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = [
      ...document.querySelectorAll('script:not([type="module"][src^="/assets/"]):not([type$="json"])'),
    ]
    found.push(
      ...document.querySelectorAll('iframe, object, embed, base, style, img, video, audio, meta[http-equiv]'),
    )
    found.push(
      ...document.querySelectorAll('a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]'),
    )
    for (const element of document.querySelectorAll('*')) {
      if (element.getAttributeNames().some((name) => name.startsWith('on') || name === 'style'))
        found.push(element)
    }
    return found.map((element) => element.outerHTML.slice(0, 200))
  })
}
