import { MEASURES, type MeasureKind, type ReportReason } from '../../../database/schema.ts'
import { may } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import type { FormState } from '../../../web/form.ts'
import type { NamedRule } from '../../policies/policy.ts'
import type { FoundCase } from '../find.ts'
import { wordOf } from '../measures.ts'
import type { CaseLook } from './case-sections.ts'
import { casePath } from './queue-page.ts'

/** Lengths of a suspension that the form offers, in days. */
export const LENGTHS = ['1', '3', '7', '30', '90', 'for-good'] as const
const USUAL = '7'

/** The decisions that are one press each, as fields of a decision: the values of `quick`. */
export const QUICK = {
  hide: { decision: 'uphold', measure: 'hide' },
  delete: { decision: 'uphold', measure: 'delete warn' },
  none: { decision: 'decline', measure: '' },
} as const
export type QuickDecision = keyof typeof QUICK
export const QUICK_DECISIONS: readonly QuickDecision[] = ['hide', 'delete', 'none']
const ICONS = { hide: 'eye-off', delete: 'trash', none: 'check' } as const

/** Measures that fit the subject of a case: a person has no text to hide, and a suspension needs an account. */
export function measuresFor(matter: Pick<FoundCase, 'about' | 'course_id'>): readonly MeasureKind[] {
  const ofPerson: readonly MeasureKind[] = ['reset-name', 'warn', 'suspend']
  return matter.about === 'person' ? ofPerson : MEASURES
}

/** The rules that a decision can name, as a select has them. @param chosen the heading of one */
export function ruleGroups(t: Translate, rules: readonly NamedRule[], chosen = '') {
  return (['course', 'forum'] as const)
    .map((of) => ({
      label: t(`cases.form.rules.${of}`),
      options: rules
        .filter((rule) => rule.of === of)
        .map(({ text }) => ({ value: text, text, selected: chosen === text })),
    }))
    .filter(({ options }) => options.length > 0)
}

const MORE = ['reporter_note', 'staff_note'] as const

/** What a form starts with: a rule that staff chose before for this ground, or else the ground itself as the reason. */
export function firstReason(
  t: Translate,
  reason: ReportReason,
  lastRule: string,
  rules: readonly NamedRule[],
) {
  const isNamed = lastRule !== '' && (rules.length === 0 || rules.some(({ text }) => text === lastRule))
  if (isNamed) return { rule: lastRule, note: '' }
  return { rule: '', note: reason === 'other' ? '' : t(`reports.reason.${reason}`) }
}

export function decideView(
  matter: FoundCase,
  form: FormState,
  { t, viewer }: CaseLook,
  { authorName, rules }: { readonly authorName: string; readonly rules: readonly NamedRule[] },
) {
  const { typed } = form
  const chosen = new Set((typed.measure ?? '').split(' ').filter((kind) => kind !== ''))
  const length = typed.suspend ?? USUAL
  const isAdmin = may(viewer, 'moderate-forum')
  const offered = measuresFor(matter)
  return {
    action: `${casePath(matter.id)}/decision`,
    version: matter.version,
    form,
    quick: QUICK_DECISIONS.filter((value) => matter.about !== 'person' || value === 'none').map((value) => ({
      value,
      icon: ICONS[value],
      text: t(`cases.quick.${value}`),
      hint: t(`cases.quick.${value}.text`),
    })),
    isMoreOpen:
      chosen.size > 0 ||
      MORE.some((field) => Boolean(typed[field])) ||
      form.errors.some(({ field }) => !['rule', 'note'].includes(field)),
    measures: offered
      .filter((kind) => kind !== 'suspend')
      .map((kind) => ({
        value: kind,
        label: t(
          kind === 'hide' || kind === 'delete'
            ? `measures.take.${kind}.${matter.about}`
            : `measures.take.${wordOf(kind)}`,
        ),
        isChecked: chosen.has(kind),
      })),
    rules: ruleGroups(t, rules, typed.rule),
    canSuspend: offered.includes('suspend'),
    suspends: chosen.has('suspend'),
    lengths: LENGTHS.map((value) => ({
      value,
      text:
        value === 'for-good'
          ? t('measures.length.forGood')
          : t('measures.length.days', { count: Number(value) }),
      isChosen: value === length,
    })),
    canEverywhere: isAdmin && matter.course_id !== null,
    isEverywhere: typed.everywhere === '1' || matter.course_id === null,
    noteLabel: authorName === '' ? t('cases.form.note') : t('cases.form.noteTo', { name: authorName }),
  }
}
