import { type Translate, translatorOf } from '../messages/catalogue.ts'
import { LANGUAGES } from '../messages/language.ts'

const UNDESCRIBED = /(<img src="\/uploads\/[\w-]+" )alt=""/g

const UNNAMED = '<summary></summary>'

/**
 * Names the folds of tall pictures, and says of each picture that its author described with no words that it has none. With an empty
 * description a screen reader passes it over, and what the text says of it stands alone.
 * @param html from prepareMarkdown
 * @param lang of the text, for words in place of its own; null or a language that we don't speak: the page's
 */
export function describedPictures(html: string, lang: string | null | undefined, t: Translate): string {
  if (!html.includes(' alt="" ') && !html.includes(UNNAMED)) return html
  const language = LANGUAGES.find((one) => one === lang)
  const say = language === undefined ? t : translatorOf(language)
  return html.replace(UNDESCRIBED, `$1alt="${say('posts.picture')}"`).replaceAll(UNNAMED, foldName(lang, t))
}

/** A fold is the page's own: its words are in the page's language, whatever the text's is. */
function foldName(lang: string | null | undefined, t: Translate): string {
  const own = t('time.locale').slice(0, 2)
  return `<summary${own === lang ? '' : ` lang="${own}"`}>${t('posts.wholePicture')}</summary>`
}
