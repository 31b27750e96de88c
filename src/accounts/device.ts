import Bowser from 'bowser'

/** What a browser said it is. */
export interface Device {
  /** Such as Firefox. */
  readonly browser: string
  /** Such as Android; null: it did not say. */
  readonly system: string | null
}

/** A device by its User-Agent header; null when that names no browser anybody knows. */
export function deviceOf(userAgent: string): Device | null {
  if (userAgent === '') return null
  const { browser, os } = Bowser.parse(userAgent)
  if (browser.name === undefined || browser.name === '') return null
  return { browser: browser.name, system: os.name ?? null }
}
