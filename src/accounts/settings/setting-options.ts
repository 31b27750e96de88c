import type { Translate } from '../../messages/catalogue.ts'
import type { Language } from '../../messages/language.ts'
import { zoneNames } from '../../messages/zone-names.ts'
import { SYSTEM } from '../identity/forms.ts'

/** One entry of a select or one radio button. */
export interface Option {
  readonly value: string
  readonly text: string
  readonly selected: boolean
  /** Of the text, where it is not the page's. */
  readonly lang?: string
}

/** Each language under its own name, so that it is found by who reads no other. */
export function languageOptions(t: Translate, chosen = SYSTEM): Option[] {
  const options = [{ value: SYSTEM, text: t('accounts.language.system') }, ...ownLanguages()]
  return options.map((option) => ({ ...option, selected: option.value === chosen }))
}

/** The languages without "as the browser asks": of a course. */
export function courseLanguageOptions(chosen: string): Option[] {
  return ownLanguages().map((option) => ({ ...option, selected: option.value === chosen }))
}

/** All zones; a stored one that this engine knows under another name stays to be chosen. */
export function timeZoneOptions(t: Translate, language: Language, chosen = ''): Option[] {
  const none = { value: '', text: t('accounts.timeZone.course'), selected: chosen === '' }
  return [none, ...courseTimeZoneOptions(language, chosen)]
}

/** The zones without "the course's". */
export function courseTimeZoneOptions(language: Language, chosen: string): Option[] {
  const names = zoneNames(language)
  const isKnown = chosen === '' || names.some(({ value }) => value === chosen)
  const all = isKnown ? names : [{ value: chosen, text: chosen.replaceAll('_', ' ') }, ...names]
  return all.map((zone) => ({ ...zone, selected: zone.value === chosen }))
}

export function themeOptions(t: Translate, chosen = SYSTEM): Option[] {
  const texts = {
    system: t('accounts.theme.system'),
    light: t('accounts.theme.light'),
    dark: t('accounts.theme.dark'),
  }
  return Object.entries(texts).map(([value, text]) => ({ value, text, selected: value === chosen }))
}

function ownLanguages() {
  return [
    { value: 'en', text: 'English', lang: 'en' },
    { value: 'ko', text: '한국어', lang: 'ko' },
  ]
}
