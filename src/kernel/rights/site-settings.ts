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
}

const USUAL = { auditMonths: 24, caseMonths: 12 } as const

/** As they are; as they begin, when nobody has decided anything. */
export async function findSiteSettings(db: Database): Promise<SiteSettings> {
  const row = await db
    .selectFrom('site_settings')
    .select(['staff_need_second_factor', 'audit_months', 'case_months', 'complaint_bodies'])
    .executeTakeFirst()
  return {
    staffNeedSecondFactor: row?.staff_need_second_factor ?? false,
    auditMonths: row?.audit_months ?? USUAL.auditMonths,
    caseMonths: row?.case_months ?? USUAL.caseMonths,
    complaintBodies: row?.complaint_bodies ?? '',
  }
}

/** Changes what is given; the rest stays as it is. */
export async function changeSiteSettings(
  db: Database | Write,
  { staffNeedSecondFactor, auditMonths, caseMonths, complaintBodies }: Partial<SiteSettings>,
): Promise<void> {
  const changed = {
    is_only: true,
    ...(staffNeedSecondFactor !== undefined && { staff_need_second_factor: staffNeedSecondFactor }),
    ...(auditMonths !== undefined && { audit_months: auditMonths }),
    ...(caseMonths !== undefined && { case_months: caseMonths }),
    ...(complaintBodies !== undefined && { complaint_bodies: complaintBodies }),
  }
  await db
    .insertInto('site_settings')
    .values(changed)
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet(changed))
    .execute()
}
