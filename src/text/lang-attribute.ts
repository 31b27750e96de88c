import { languageOf } from './language.ts'

/**
 * The `lang` attribute of an element with a text that somebody wrote, as HTML.
 * @param course language of the course that it is of, where the text doesn't tell; left out: as the page's
 */
export function langAttribute(text: string, course?: 'en' | 'ko' | null): string {
  const lang = languageOf(text) ?? course
  return lang ? ` lang="${lang}"` : ''
}
