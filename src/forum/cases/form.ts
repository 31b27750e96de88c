import { z } from 'zod'
import {
  type Database,
  MEASURES,
  type MeasureKind,
  type ReportReason,
  type Write,
} from '../../database/schema.ts'
import { refusal } from '../../kernel/problem.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { sentFields } from '../../web/form.ts'
import { listRules } from '../policies/policy.ts'
import { LENGTHS, QUICK, QUICK_DECISIONS, type QuickDecision } from './pages/decide-view.ts'

/** The measures that were ticked: a list, or their names with spaces between. */
export const measureList = () =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((sent, context): MeasureKind[] => {
      const names = (typeof sent === 'string' ? sent.split(' ') : sent).filter((name) => name !== '')
      const known = MEASURES.filter((kind) => names.includes(kind))
      if (known.length === new Set(names).size) return known
      context.addIssue({ code: 'custom', message: 'cases.form.unknownMeasure' })
      return z.NEVER
    })
    .meta({ type: 'array', items: { type: 'string', enum: [...MEASURES] } })

const MAX_DAYS = 3650
const DAYS = /^[1-9]\d{0,3}$/

/** A number, or its text. */
const numeric = z.union([z.string(), z.number().transform(String)])

/** How long a suspension is, in days; null: for good. Empty: as long as the form offers first of all. */
export const suspensionLength = () =>
  numeric
    .transform((value, context): number | null => {
      const length = value.trim() === '' ? LENGTHS[2] : value.trim()
      if (length === 'for-good') return null
      if (DAYS.test(length) && Number(length) <= MAX_DAYS) return Number(length)
      context.addIssue({ code: 'custom', message: 'forms.choice' })
      return z.NEVER
    })
    .meta({ type: ['integer', 'string'], default: Number(LENGTHS[2]) })

/** The version of the case that the form was made of; 0, which none has, where it says none. */
export const caseVersion = () =>
  numeric
    .transform((value, context): number => {
      if (value === '' || /^[1-9]\d{0,8}$/.test(value)) return Number(value)
      context.addIssue({ code: 'custom', message: 'forms.choice' })
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: 1 })

/** A box that is ticked: `1` or true. */
export const ticked = () =>
  z
    .union([z.string(), z.boolean()])
    .transform((value) => value === '1' || value === true)
    .meta({ type: 'boolean', default: false })

/** The button of a case's form that decides in one press; null: another one was pressed. */
export const quickOf = (body: unknown): QuickDecision | null =>
  QUICK_DECISIONS.find((value) => value === sentFields(body).quick) ?? null

/** What a case's form says: that of such a button instead of what is under "More". */
export function decisionSent(body: unknown): Readonly<Record<string, unknown>> {
  const { quick, ...fields } = sentFields(body)
  const pressed = quickOf({ quick })
  return pressed === null ? fields : { ...fields, ...QUICK[pressed] }
}

/**
 * Where there are rules, in whatever language, a decision names one of them by its heading; elsewhere it says it in its own words.
 * @throws Refused
 */
export async function mustBeRule(write: Write, courseId: number | null, rule: string): Promise<void> {
  if (rule === '') return
  const known = (await Promise.all(LANGUAGES.map((language) => listRules(write, courseId, language)))).flat()
  if (known.length > 0 && !known.some(({ text: heading }) => heading === rule))
    throw refusal('rule', 'forms.choice')
}

/**
 * The rule that staff of a course, or (null) admins, named last in a case of this ground; empty: they named none yet. Uses index
 * cases_rules_named.
 */
export async function lastRuleNamed(db: Database, courseId: number | null, reason: ReportReason) {
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
