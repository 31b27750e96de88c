import type { Generated, GeneratedAlways } from 'kysely'
import type { Language } from '../../messages/language.ts'
import type { DefaultTime } from './columns.ts'

/** The pages of a forum that its admins write. */
export const POLICY_NAMES = ['rules', 'privacy', 'contact'] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

interface Policies {
  id: GeneratedAlways<number>
  /** null: a page of the forum. */
  course_id: number | null
  name: PolicyName
  language: Language
  body: string
  version: Generated<number>
  changed_at: DefaultTime
}

/** Rules, privacy and contact pages, and the rules of courses. */
export interface PoliciesTables {
  policies: Policies
}
