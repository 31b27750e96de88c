import type { CDPSession, Page } from 'playwright/test'

/** A page as someone hears it who doesn't see the screen. */
export interface Hearing {
  /** Announcements of live regions on this page, in order: since it opened, or since `forget`. */
  said(): Promise<readonly string[]>
  forget(): Promise<void>
  /** Role and name, as Chromium's accessibility tree has them, of what has the focus, with its description in brackets. */
  focus(): Promise<string>
}

declare global {
  interface Window {
    heard?: string[]
  }
}

/** @param page of a window that nothing else uses: the recorder stays in it */
export async function hear(page: Page): Promise<Hearing> {
  await page.addInitScript(recordLiveRegions)
  const devtools = await page.context().newCDPSession(page)
  return {
    // A page that is being left has said nothing that the next one doesn't say.
    said: () => page.evaluate(() => window.heard ?? []).catch(() => []),
    forget: () => page.evaluate(() => void window.heard?.splice(0)),
    // A page that is being left has no focus to ask for.
    focus: () => focusOf(devtools).catch(() => 'RootWebArea '),
  }
}

async function focusOf(devtools: CDPSession): Promise<string> {
  const { result } = await devtools.send('Runtime.evaluate', { expression: 'document.activeElement' })
  const objectId = result.objectId ?? ''
  const { nodes } = await devtools.send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false })
  const [role, name, description] = [nodes[0]?.role, nodes[0]?.name, nodes[0]?.description].map((one) =>
    String(one?.value ?? ''),
  )
  const { result: text } = await devtools.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function () { return this.textContent.trim() }',
  })
  // A paragraph has no name, so its words are read.
  const words = name || (role === 'RootWebArea' ? '' : String(text.value))
  return `${role} ${words}${description ? ` (${description})` : ''}`
}

/**
 * Records what a screen reader would say of live regions: of one that was rendered before something changed in it, all its words where
 * it is atomic, else what came; and alerts that come in. What a region says that comes together with its words is not heard.
 */
function recordLiveRegions(): void {
  const LIVE = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]'
  const heard: string[] = []
  window.heard = heard
  let known = new Set<Element>()
  const say = (text: string) => {
    const words = text.replace(/\s+/g, ' ').trim()
    if (words !== '') heard.push(words)
  }
  const wordsOf = (node: Node) => (node instanceof HTMLElement ? node.innerText : (node.textContent ?? ''))
  const came = ({ type, target, addedNodes }: MutationRecord): Node[] => {
    if (type === 'childList') return [...addedNodes]
    if (type === 'characterData') return [target]
    return target instanceof HTMLElement && !target.hidden ? [target] : []
  }
  new MutationObserver((records) => {
    const whole = new Set<Element>()
    for (const record of records) {
      for (const node of came(record)) {
        const element = node instanceof Element ? node : node.parentElement
        const region = element?.closest(LIVE)
        if (region?.matches('[role="alert"]')) whole.add(region)
        else if (region == null || region === node || !known.has(region)) continue
        else if (region.matches('[role="status"], [aria-atomic="true"]')) whole.add(region)
        else say(wordsOf(node))
      }
    }
    for (const region of whole) say(wordsOf(region))
    known = new Set([...document.querySelectorAll(LIVE)].filter((region) => region.checkVisibility()))
  }).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
    attributeFilter: ['hidden'],
  })
}
