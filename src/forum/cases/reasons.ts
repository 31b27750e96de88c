import { REPORT_REASONS, type Row, type Write } from '../../database/schema.ts'
import { choice, line, optional, text } from '../../kernel/fields.ts'
import { refusal } from '../../kernel/problem.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { listRules } from '../policies/policy.ts'

/** Why a measure is taken: its ground, the rule that it goes by, and the words of staff to the person. */
export type Why = Pick<Row<'cases'>, 'reason' | 'rule' | 'note'>

/** The ground; null: left out, as programs may. */
export const ground = () => optional(choice(REPORT_REASONS, 'reports.form.noReason'))
export const rule = () => line({ min: 0, max: 300 })
/** What staff write beside what they decide. */
export const note = () => text({ min: 0, max: 5000 })

/**
 * A measure has a reason: but for spam, of which nobody is told, a rule or a note. Where there are rules, in whatever language, the rule
 * is one of them by its heading; elsewhere it is said in staff's own words.
 * @param courseId null: of the forum
 * @param noteField the name that the form has for the note
 * @throws Refused
 */
export async function mustHaveReason(
  write: Write,
  courseId: number | null,
  { reason, rule, note }: Why,
  noteField = 'note',
): Promise<void> {
  if (rule !== '') {
    const known = (
      await Promise.all(LANGUAGES.map((language) => listRules(write, courseId, language)))
    ).flat()
    if (known.length > 0 && !known.some(({ text: heading }) => heading === rule))
      throw refusal('rule', 'forms.choice')
  }
  if (reason !== 'spam' && rule === '' && note === '') throw refusal(noteField, 'reasons.missing')
}
