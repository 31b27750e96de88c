import type { Database, Write } from '../../database/schema.ts'

/** What admins decide for the whole forum. */
export interface SiteSettings {
  /** Staff without a second factor have no staff rights: src/kernel/rights/rights.ts. */
  readonly staffNeedSecondFactor: boolean
  /** Months after which entries of the audit log are deleted. */
  readonly auditMonths: number
  /** Months after its decision when a case loses its snapshots and reports. */
  readonly caseMonths: number
  /** Courts and out-of-court bodies that people can turn to after a decision, as Markdown; '': none are named. */
  readonly complaintBodies: string
  /** Questions, and answers and replies together, that a stranger may post on the first day. */
  readonly firstDayQuestions: number
  readonly firstDayPosts: number
  /** Hosts that no one has linked to, of which a stranger's post may link to so many and is not held. */
  readonly firstDayHosts: number
  /** Reports by members of standing that hold a stranger's post. */
  readonly reportsThatHold: number
  /** Which agents may ask people for access: src/accounts/apps/app.ts. */
  readonly agents: 'off' | 'any' | 'domains' | 'registered'
  /** Where the documents of agents may be, with what is below, where `agents` is 'domains'. */
  readonly agentDomains: readonly string[]
}

/**
 * What a stranger may post on the first day where the forum looks at strangers with care, until admins decide otherwise; `hosts`: that no one
 * has linked to in the course, of which a post may link to so many and is not held.
 */
export const FIRST_DAY = { questions: 3, posts: 10, hosts: 2 } as const

/** The columns of what has a number, and what it is until somebody decides otherwise. */
const NUMBERS = {
  auditMonths: { column: 'audit_months', usual: 24 },
  caseMonths: { column: 'case_months', usual: 12 },
  firstDayQuestions: { column: 'first_day_questions', usual: FIRST_DAY.questions },
  firstDayPosts: { column: 'first_day_posts', usual: FIRST_DAY.posts },
  firstDayHosts: { column: 'first_day_hosts', usual: FIRST_DAY.hosts },
  reportsThatHold: { column: 'reports_that_hold', usual: 3 },
} as const
type Numbers = { readonly [Name in keyof typeof NUMBERS]: number }
const NAMES = Object.keys(NUMBERS) as (keyof Numbers)[]

/** As they are; as they begin, when nobody has decided anything. */
export async function findSiteSettings(db: Database | Write): Promise<SiteSettings> {
  const row = await db.selectFrom('site_settings').selectAll().executeTakeFirst()
  const numbers = NAMES.map((name) => [name, row?.[NUMBERS[name].column] ?? NUMBERS[name].usual])
  return {
    staffNeedSecondFactor: row?.staff_need_second_factor ?? false,
    complaintBodies: row?.complaint_bodies ?? '',
    agents: row?.agents ?? 'off',
    agentDomains: row?.agent_domains ?? [],
    ...(Object.fromEntries(numbers) as Numbers),
  }
}

/** Changes what is given; the rest stays as it is. */
export async function changeSiteSettings(
  db: Database | Write,
  { staffNeedSecondFactor, complaintBodies, agents, agentDomains, ...numbers }: Partial<SiteSettings>,
): Promise<void> {
  const given = NAMES.filter((name) => numbers[name] !== undefined)
  const changed = {
    is_only: true,
    ...(staffNeedSecondFactor !== undefined && { staff_need_second_factor: staffNeedSecondFactor }),
    ...(complaintBodies !== undefined && { complaint_bodies: complaintBodies }),
    ...(agents !== undefined && { agents }),
    ...(agentDomains !== undefined && { agent_domains: [...agentDomains] }),
    ...Object.fromEntries(given.map((name) => [NUMBERS[name].column, numbers[name]])),
  }
  await db
    .insertInto('site_settings')
    .values(changed)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet(changed))
    .execute()
}
