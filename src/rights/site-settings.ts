import type { Database } from '../database/schema.ts'

/** What admins decide for the whole forum. */
export interface SiteSettings {
  /** Staff without a second factor have no staff rights: src/rights/rights.ts. */
  readonly staffNeedSecondFactor: boolean
}

/** As they are; as they begin, when nobody has decided anything. */
export async function findSiteSettings(db: Database): Promise<SiteSettings> {
  const row = await db.selectFrom('site_settings').select('staff_need_second_factor').executeTakeFirst()
  return { staffNeedSecondFactor: row?.staff_need_second_factor ?? false }
}

export async function changeSiteSettings(
  db: Database,
  { staffNeedSecondFactor: staff_need_second_factor }: SiteSettings,
): Promise<void> {
  await db
    .insertInto('site_settings')
    .values({ staff_need_second_factor })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ staff_need_second_factor }))
    .execute()
}
