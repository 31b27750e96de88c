import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'

/** The button that puts the template in which the forum suggests, in the language of the course; nothing is saved. */
export const SUGGEST = 'suggest'

/** A settings form that asked for the suggested template, with it; null: it was sent to be saved. */
export function withSuggestedTemplate(
  body: unknown,
  form: FormState,
  language: string | undefined,
): FormState | null {
  if (typedFields(body)[SUGGEST] !== '1') return null
  const t = translatorOf(language === 'ko' ? 'ko' : 'en')
  const headings = ['tried', 'expected', 'happened'].map(
    (name) => `**${t(`courseSettings.template.${name}`)}**`,
  )
  return freshForm({ ...form.typed, question_template: `${headings.join('\n\n\n')}\n` })
}
