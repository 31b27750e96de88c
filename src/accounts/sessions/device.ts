import Bowser from 'bowser'
import type { Translate } from '../../messages/catalogue.ts'

/** What a browser said it is. */
export interface Device {
  /** Such as Firefox. */
  readonly browser: string
  /** Such as Android; null: it did not say. */
  readonly system: string | null
}

/** A device's name by its User-Agent header, such as "Firefox on Android". */
export function deviceName(userAgent: string, t: Translate): string {
  const device = deviceOf(userAgent)
  if (device === null) return t('accounts.sessions.unknown')
  const { browser, system } = device
  return system === null ? browser : t('accounts.sessions.device', { browser, system })
}

/** null when it names no browser anybody knows. */
export function deviceOf(userAgent: string): Device | null {
  if (userAgent === '') return null
  const { browser, os } = Bowser.parse(userAgent)
  if (browser.name === undefined || browser.name === '') return null
  return { browser: browser.name, system: os.name ?? null }
}
