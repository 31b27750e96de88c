import { z } from 'zod'
import { email } from '../../accounts/identity/fields.ts'
import { timeZone } from '../../accounts/identity/forms.ts'
import type { Accent, Database } from '../../database/schema.ts'
import { choice, flag, line, optional, plain, text, titleLine } from '../../kernel/fields.ts'
import { readGroups } from '../../text/words/synonyms.ts'
import { typedFields } from '../../web/form.ts'

export const VISIBILITIES = ['public', 'private'] as const
export const ASKING = ['everybody', 'members'] as const
/** As the constraint courses_accent_known has it. */
export const ACCENTS = ['green', 'blue', 'violet', 'plum', 'slate'] as const satisfies readonly Accent[]

/** As the constraints of the table courses have it. */
const title = () =>
  titleLine({ min: 1, max: 150, short: 'courseSettings.title.short', long: 'courseSettings.title.long' })

/** As the constraint courses_promise_hours_bounds has it. */
const hours = () =>
  plain.transform((value, context) => {
    const number = /^\d{1,4}$/.test(value.trim()) ? Number(value) : 0
    if (number >= 1 && number <= MAX_HOURS) return number
    context.addIssue({ code: 'custom', message: 'courseSettings.promise.wrong', params: { max: MAX_HOURS } })
    return z.NEVER
  })

const MAX_HOURS = 8760

/** As the constraint courses_synonyms_length has it. */
const synonyms = () =>
  text({ min: 0, max: 4000, long: 'courseSettings.synonyms.long' }).superRefine((typed, context) => {
    const groups = readGroups(typed)
    if ('wrongLine' in groups)
      context.addIssue({
        code: 'custom',
        message: 'courseSettings.synonyms.wrong',
        params: { line: groups.wrongLine },
      })
  })

const FIELDS = {
  title: title(),
  field: line({ min: 0, max: 50, long: 'courseSettings.field.long' }),
  description: text({ min: 0, max: 2000, long: 'courseSettings.description.long' }),
  language: choice(['en', 'ko']),
  time_zone: timeZone(),
  visibility: choice(VISIBILITIES),
  asking: choice(ASKING),
  accent: choice(ACCENTS),
  promise_hours: optional(hours()),
  question_template: text({ min: 0, max: 2000, long: 'courseSettings.template.long' }),
  synonyms: synonyms(),
  allows_private: flag,
  allows_anonymous: flag,
  allows_embeddings: flag,
} as const

export const settings = z.object(FIELDS)
/** Fields that are left out stay as they are. */
export const someSettings = settings.partial()
export type SettingsValues = z.output<typeof someSettings>
export type SettingName = keyof typeof FIELDS
export const SETTING_NAMES = Object.keys(FIELDS) as readonly SettingName[]

/** The settings as their page shows them; each section is a form of its own. */
export const SECTIONS = {
  general: ['title', 'field', 'description', 'language', 'time_zone', 'accent'],
  access: ['visibility', 'asking', 'allows_private', 'allows_anonymous', 'allows_embeddings'],
  asking: ['promise_hours', 'question_template', 'synonyms'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>
export type Section = keyof typeof SECTIONS
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly Section[]

/** What a form of settings changes: those of its section, where a box that is not sent is off; of a form without one, what it sends. */
export function settingsIn(body: unknown): readonly SettingName[] {
  const sent = typedFields(body)
  const section = SECTION_NAMES.find((name) => name === sent.section)
  return section === undefined ? SETTING_NAMES.filter((name) => name in sent) : SECTIONS[section]
}

/** A new course: its lectures one a line, and who is to instruct it; nobody: who makes it. `slug`: from the operator alone. */
export const newCourse = {
  ...FIELDS,
  lectures: text({ min: 0, max: 100_000 }),
  instructor: optional(email()),
  slug: optional(plain),
}

export const copied = { title: title() }

export const category = {
  name: line({
    min: 1,
    max: 50,
    short: 'courseSettings.category.short',
    long: 'courseSettings.category.long',
  }),
}

export type CourseSettings = Awaited<ReturnType<typeof findSettings>>

export async function findSettings(db: Database, courseId: number) {
  const row = await db
    .selectFrom('courses')
    .select(['title', 'field', 'description', 'language', 'time_zone', 'is_public', 'asking', 'accent'])
    .select(['version', 'promise_hours', 'question_template', 'synonyms'])
    .select(['allows_private', 'allows_anonymous', 'allows_embeddings'])
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const { version, is_public, promise_hours, allows_private, allows_anonymous, allows_embeddings, ...texts } =
    row
  const typed: Readonly<Record<SettingName, string>> = {
    ...texts,
    visibility: is_public ? 'public' : 'private',
    promise_hours: promise_hours === null ? '' : String(promise_hours),
    allows_private: allows_private ? '1' : '',
    allows_anonymous: allows_anonymous ? '1' : '',
    allows_embeddings: allows_embeddings ? '1' : '',
  }
  return { version, typed }
}

export function listCategories(db: Database, courseId: number) {
  return db
    .selectFrom('categories as category')
    .select(['category.id', 'category.slug', 'category.name'])
    .where('category.course_id', '=', courseId)
    .orderBy('category.position')
    .orderBy('category.id')
    .execute()
}

/** Whether a course has these settings: two people want the same, or a form came twice. */
export function isSame({ typed }: CourseSettings, values: SettingsValues): boolean {
  return SETTING_NAMES.every((name) => values[name] === undefined || typed[name] === typedAs(values[name]))
}

/** A setting as its form has it. */
function typedAs(value: string | number | boolean | null): string {
  return typeof value === 'boolean' ? (value ? '1' : '') : String(value ?? '')
}
