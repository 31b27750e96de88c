import type { Database, Language, ReportReason } from '../../../database/schema.ts'
import type { Person } from '../../../kernel/rights/person.ts'
import { may } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { type FormState, sentFields } from '../../../web/form.ts'
import { listRules, type NamedRule } from '../../policies/policy.ts'
import { LENGTHS, measuresFor, USUAL_LENGTH } from '../decision.ts'
import type { FoundCase } from '../find.ts'
import { wordOf } from '../measures.ts'
import { casePath } from './queue-page.ts'

/** What was sent to a case and not done. */
export interface SentToCase {
  readonly of: 'decision' | 'handover' | 'redaction' | 'lifting' | 'objection' | 'reply' | 'passing'
  readonly form: FormState
  /** Somebody else was faster, or something came that the form had not seen. */
  readonly isConflict: boolean
  /** The measure that the form was about, or the report of `reply`; null: the case. */
  readonly partId: number | null
}

export interface CaseLook {
  readonly t: Translate
  readonly viewer: Person
  readonly timeZone: string
  readonly now: Date
  /** The form that was sent, or a fresh one. */
  formOf(of: SentToCase['of'], partId?: number | null, begin?: Record<string, string>): FormState
}

/** The decisions that are one press each, as fields of a decision: the values of `quick`. */
const QUICK = {
  hide: { decision: 'uphold', measure: 'hide' },
  delete: { decision: 'uphold', measure: 'delete warn' },
  none: { decision: 'decline', measure: '' },
} as const
export type QuickDecision = keyof typeof QUICK
const QUICK_DECISIONS: readonly QuickDecision[] = ['hide', 'delete', 'none']
const ICONS = { hide: 'eye-off', delete: 'trash', none: 'check' } as const

/** The button of a case's form that decides in one press; null: another one was pressed. */
export const quickOf = (body: unknown): QuickDecision | null =>
  QUICK_DECISIONS.find((value) => value === sentFields(body).quick) ?? null

/** What a case's form says: that of such a button instead of what is under "More". */
export function decisionSent(body: unknown): Readonly<Record<string, unknown>> {
  const { quick, ...fields } = sentFields(body)
  const pressed = quickOf({ quick })
  return pressed === null ? fields : { ...fields, ...QUICK[pressed] }
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

/**
 * The form that decides a case. It begins with a rule that staff chose before for this ground, or else the
 * ground itself as the reason.
 */
export async function decideView(
  db: Database,
  { id, about, course_id: courseId, reason, version }: FoundCase,
  authorName: string,
  lang: Language,
  { t, viewer, formOf }: CaseLook,
) {
  const [rules, lastRule] = await Promise.all([
    listRules(db, courseId, lang),
    lastRuleNamed(db, courseId, reason),
  ])
  const rule = rules.length === 0 || rules.some(({ text }) => text === lastRule) ? lastRule : ''
  const ground = reason === 'other' ? '' : t(`reports.reason.${reason}`)
  const form = formOf('decision', null, { rule, note: rule === '' ? ground : '' })
  const { typed } = form
  const chosen = new Set((typed.measure ?? '').split(' ').filter((kind) => kind !== ''))
  const offered = measuresFor({ about })
  return {
    action: `${casePath(id)}/decision`,
    version,
    form,
    quick: QUICK_DECISIONS.filter((value) => about !== 'person' || value === 'none').map((value) => ({
      value,
      icon: ICONS[value],
      text: t(`cases.quick.${value}`),
      hint: t(`cases.quick.${value}.text`),
    })),
    isMoreOpen:
      chosen.size > 0 ||
      Boolean(typed.reporter_note || typed.staff_note) ||
      form.errors.some(({ field }) => !['rule', 'note'].includes(field)),
    measures: offered
      .filter((kind) => kind !== 'suspend')
      .map((kind) => ({
        value: kind,
        label: t(
          kind === 'hide' || kind === 'delete'
            ? `measures.take.${kind}.${about}`
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
      isChosen: value === (typed.suspend ?? USUAL_LENGTH),
    })),
    canEverywhere: may(viewer, 'moderate-forum') && courseId !== null,
    isEverywhere: typed.everywhere === '1' || courseId === null,
    noteLabel: authorName === '' ? t('cases.form.note') : t('cases.form.noteTo', { name: authorName }),
  }
}

/**
 * The rule that staff of a course, or (null) admins, named last in a case of this ground; empty: they named none yet. Uses index
 * cases_rules_named.
 */
async function lastRuleNamed(db: Database, courseId: number | null, reason: ReportReason) {
  const last = await db
    .selectFrom('cases')
    .select('rule')
    .where('course_id', courseId === null ? 'is' : '=', courseId)
    .where('reason', '=', reason)
    .where('state', '=', 'upheld')
    .where('rule', '<>', '')
    .orderBy('decided_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.rule ?? ''
}
