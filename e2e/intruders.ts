import type { Page } from 'playwright/test'

/**
 * Elements and attributes that no template of ours and no Markdown makes.
 * @param path of a page of the same site to parse; by default the page that is open
 */
export function intruders(page: Page, path?: string): Promise<string[]> {
  return page.evaluate(async (other) => {
    const parsed = async (address: string) => {
      const answer = await fetch(address)
      return new DOMParser().parseFromString(await answer.text(), 'text/html')
    }
    const at = other === undefined ? document : await parsed(other)
    const found = [...at.querySelectorAll('script:not([type="module"][src^="/assets/"]):not([type$="json"])')]
    found.push(
      ...at.querySelectorAll('iframe, object, embed, base, style, img, video, audio, meta[http-equiv]'),
    )
    found.push(...at.querySelectorAll('a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]'))
    for (const element of at.querySelectorAll('*')) {
      if (element.getAttributeNames().some((name) => name.startsWith('on') || name === 'style'))
        found.push(element)
    }
    return found.map((element) => element.outerHTML.slice(0, 200))
  }, path)
}
