import type { Database, ReportReason, Write } from '../../database/schema.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { refusal } from '../../operations/refused.ts'
import { listRules } from '../policies/queries.ts'

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
export async function lastRuleNamed(
  db: Database,
  courseId: number | null,
  reason: ReportReason,
): Promise<string> {
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
