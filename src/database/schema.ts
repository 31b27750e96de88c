import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { CasesTables } from './schema/cases.ts'
import type { CoursesTables, NewsTables, PoliciesTables } from './schema/courses.ts'
import type { DeskTables } from './schema/desk.ts'
import type {
  FormsTables,
  MergesTables,
  PeopleTables,
  SecondFactorsTables,
  TokensTables,
} from './schema/people.ts'
import type { DraftsTables, PicturesTables, PostsTables, TagsTables, VersionsTables } from './schema/posts.ts'
import type { ProvidersTables } from './schema/providers.ts'
import type { SearchTables } from './schema/search.ts'
import type { AuditTables, SiteTables } from './schema/site.ts'
import type { PushingTables, TellingTables } from './schema/telling.ts'

export type { Language } from '../messages/language.ts'
export type { CaseAbout, CaseState, MeasureKind, ReportReason } from './schema/cases.ts'
export { MEASURES, REPORT_REASONS } from './schema/cases.ts'
export type { Accent, Asking, FaqState, Role } from './schema/courses.ts'
export { POLICY_NAMES, type PolicyName } from './schema/courses.ts'
export type { HalfWay, MailLinkPurpose, Theme, TokenScope } from './schema/people.ts'
export type { Audience, Status } from './schema/posts.ts'
export type { Preset } from './schema/providers.ts'
export type { AuditRole } from './schema/site.ts'
export { type CaseReason, REASONS, type Reason, RHYTHMS, type Rhythm } from './schema/telling.ts'

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
