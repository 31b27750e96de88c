import type { Page } from 'playwright/test'

/** Elements and attributes that no template of ours and no Markdown makes, in the page that is open. */
export function intruders(page: Page): Promise<string[]> {
  return page.evaluate(find, [])
}

/**
 * The same in other pages of the site, which the browser parses without opening them.
 * @param paths of the pages; what cannot be fetched is found too
 */
export function intrudersIn(page: Page, paths: readonly string[]): Promise<string[]> {
  return page.evaluate(find, paths)
}

/** Runs in the browser. */
async function find(paths: readonly string[]): Promise<string[]> {
  const STRANGE = [
    'script:not([type="module"][src^="/assets/"]):not([type$="json"])',
    'iframe, object, embed, base, style, img, video, audio, meta[http-equiv]',
    'a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]',
  ].join()
  const isStrange = (element: Element) =>
    element.matches(STRANGE) ||
    element.getAttributeNames().some((name) => name.startsWith('on') || name === 'style')
  const strangeIn = (page: Document) =>
    [...page.querySelectorAll('*')].filter(isStrange).map((element) => element.outerHTML.slice(0, 200))
  const parsed = async (path: string) => {
    const answer = await fetch(path)
    if (answer.status >= 500) return [`${path}: ${answer.status}`]
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    return strangeIn(page).map((found) => `${path}: ${found}`)
  }
  return paths.length === 0 ? strangeIn(document) : (await Promise.all(paths.map(parsed))).flat()
}
