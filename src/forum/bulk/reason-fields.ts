import { REPORT_REASONS, type Write } from '../../database/schema.ts'
import { refusal } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { FormState } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { ground, mustHaveReason, note, rule, type Why } from '../cases/reasons.ts'
import { listRules } from '../policies/policy.ts'

/** The one reason of what is done to several. */
export const REASON = { ground: ground(), rule: rule(), note: note() }

/** @param courseId null: of the forum @throws Refused */
export async function mustHaveGround(
  write: Write,
  courseId: number | null,
  { ground: reason, rule, note }: Omit<Why, 'reason'> & { readonly ground: Why['reason'] | null },
) {
  if (reason === null) throw refusal('ground', 'reports.form.noReason')
  await mustHaveReason(write, courseId, { reason, rule, note })
  return { ground: reason, rule, note }
}

/** Choices of a select, after one that chooses nothing. @param words the messages of their names */
export const optionsIn = (t: Translate, names: readonly string[], words: string) => [
  { value: '', text: t('bulk.choose') },
  ...names.map((value) => ({ value, text: t(`${words}.${value}`) })),
]

/** The controls of a reason: where there are rules, one of them is chosen. */
export async function reasonFields(
  { db, t, lang, formFields }: Pick<PageContext, 'db' | 't' | 'lang' | 'formFields'>,
  courseId: number | null,
  form: FormState,
) {
  const rules = (await listRules(db, courseId, lang)).map(({ text }) => ({ value: text, text }))
  return formFields('bulk', REASON, form, {
    ground: { options: optionsIn(t, REPORT_REASONS, 'reports.reason') },
    rule: rules.length === 0 ? {} : { options: [{ value: '', text: t('cases.form.rule.none') }, ...rules] },
    note: { rows: 3 },
  })
}
