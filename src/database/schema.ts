import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { AuditTables } from './schema/audit.ts'
import type { CasesTables } from './schema/cases.ts'
import type { CoursesTables } from './schema/courses.ts'
import type { DeskTables } from './schema/desk.ts'
import type { DraftsTables } from './schema/drafts.ts'
import type { FormsTables } from './schema/forms.ts'
import type { MergesTables } from './schema/merges.ts'
import type { NewsTables } from './schema/news.ts'
import type { PeopleTables } from './schema/people.ts'
import type { PicturesTables } from './schema/pictures.ts'
import type { PoliciesTables } from './schema/policies.ts'
import type { PostsTables } from './schema/posts.ts'
import type { ProvidersTables } from './schema/providers.ts'
import type { PushingTables } from './schema/pushing.ts'
import type { SearchTables } from './schema/search.ts'
import type { SecondFactorsTables } from './schema/second-factors.ts'
import type { SiteTables } from './schema/site.ts'
import type { TagsTables } from './schema/tags.ts'
import type { TellingTables } from './schema/telling.ts'
import type { TokensTables } from './schema/tokens.ts'
import type { VersionsTables } from './schema/versions.ts'

export type { Language } from '../messages/language.ts'
export type { AuditRole } from './schema/audit.ts'
export type { CaseAbout, CaseState, MeasureKind, ReportReason } from './schema/cases.ts'
export { MEASURES, REPORT_REASONS } from './schema/cases.ts'
export type { Accent, Asking, Role } from './schema/courses.ts'
export type { FaqState } from './schema/news.ts'
export type { MailLinkPurpose, Theme } from './schema/people.ts'
export { POLICY_NAMES, type PolicyName } from './schema/policies.ts'
export type { Audience, Status } from './schema/posts.ts'
export type { Preset } from './schema/providers.ts'
export type { HalfWay } from './schema/second-factors.ts'
export { type CaseReason, REASONS, type Reason, RHYTHMS, type Rhythm } from './schema/telling.ts'
export type { TokenScope } from './schema/tokens.ts'

/** Every table, as in db/migrations; schema/ has a file for each subject. */
export interface Schema
  extends PeopleTables,
    SecondFactorsTables,
    ProvidersTables,
    AuditTables,
    CoursesTables,
    PostsTables,
    PicturesTables,
    VersionsTables,
    DeskTables,
    NewsTables,
    PoliciesTables,
    TagsTables,
    FormsTables,
    DraftsTables,
    PushingTables,
    SearchTables,
    SiteTables,
    TellingTables,
    TokensTables,
    CasesTables,
    MergesTables {}

/** Where queries read and commands write: the pool, or a transaction of it. */
export type Database = Kysely<Schema>
/** Inside one transaction: what asks for it does not begin its own. */
export type Write = Transaction<Schema>
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>
export type NewRow<Table extends keyof Schema> = Insertable<Schema[Table]>
