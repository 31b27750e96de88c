import { z } from 'zod'
import { email } from '../../accounts/identity/fields.ts'
import { timeZone } from '../../accounts/identity/forms.ts'
import type { Accent, Database } from '../../database/schema.ts'
import { choice, flag, line, optional, plain, text, titleLine, whole } from '../../kernel/fields.ts'
import { AGENTS_OF } from '../../kernel/rights/agents.ts'
import { readGroups } from '../../text/words/synonyms.ts'
import { typedFields } from '../../web/form.ts'
import { listOf, reading } from '../../web/json/endpoint.ts'
import { resource } from '../../web/json/resource.ts'
import { readableCourse } from '../courses/resource.ts'
import { HOLDS } from '../posts/hold.ts'

const VISIBILITIES = ['public', 'private'] as const
const ASKING = ['everybody', 'members'] as const
/** As the constraint courses_accent_known has it. */
export const ACCENTS = ['green', 'blue', 'violet', 'plum', 'slate'] as const satisfies readonly Accent[]

/** As the constraints of the table courses have it. */
export const title = () =>
  titleLine({ min: 1, max: 150, short: 'courseSettings.title.short', long: 'courseSettings.title.long' })

/** As the constraint courses_promise_hours_bounds has it. */
const hours = () => whole(8760, 'courseSettings.promise_hours.wrong')

/** As the constraint courses_asks_about_code_bounds has it. */
const lines = () => whole(1000, 'courseSettings.asks_about_code.wrong')

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
  hold: optional(choice(HOLDS)),
  promise_hours: optional(hours()),
  question_template: text({ min: 0, max: 2000, long: 'courseSettings.question_template.long' }),
  synonyms: synonyms(),
  asks_about_code: optional(lines()),
  allows_private: flag,
  allows_anonymous: flag,
  allows_embeddings: flag,
  /** null: everyone who reads a public course, the staff of a private one. */
  agents: optional(choice(AGENTS_OF)),
} as const

export const settings = z.object(FIELDS)
/** Fields that are left out stay as they are; an empty `hold` does, too. */
export const someSettings = settings.partial()
export type SettingsValues = z.output<typeof someSettings>
export type SettingName = keyof typeof FIELDS
export const SETTING_NAMES = Object.keys(FIELDS) as readonly SettingName[]
/** Those that are columns of the table courses; `visibility` is `is_public` there. */
export const SETTING_COLUMNS = SETTING_NAMES.filter((name) => name !== 'visibility')

/** The settings as their page shows them, some beside each other; each section is a form of its own. */
export const SECTIONS = {
  general: ['title', ['field', 'accent'], 'description', ['language', 'time_zone']],
  access: [['visibility', 'asking'], 'allows_private', 'allows_anonymous', 'allows_embeddings', 'agents'],
  asking: ['promise_hours', 'question_template', 'asks_about_code', 'synonyms', 'hold'],
} as const satisfies Readonly<Record<string, readonly (SettingName | readonly SettingName[])[]>>
export type Section = keyof typeof SECTIONS
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly Section[]

/**
 * What a form of settings changes: those of its section, where a box that is not sent is off, and `agents`, which only some forums show,
 * stays; of a form without one, what it sends.
 */
export function settingsIn(body: unknown): readonly SettingName[] {
  const sent = typedFields(body)
  const section = SECTION_NAMES.find((name) => name === sent.section)
  if (section === undefined) return SETTING_NAMES.filter((name) => name in sent)
  return SECTIONS[section].flat().filter((name) => name !== 'agents' || name in sent)
}

/** The form of a new course: its lectures one a line, and who is to instruct it; nobody: who makes it. */
export const newCourseForm = {
  ...FIELDS,
  lectures: text({ min: 0, max: 100_000 }),
  instructor: optional(email()),
}
/** `slug`: from the operator alone. */
export const newCourse = { ...newCourseForm, slug: optional(plain) }

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
  const { version, is_public, ...columns } = await db
    .selectFrom('courses')
    .select([...SETTING_COLUMNS, 'is_public', 'version'])
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  const values = { ...columns, visibility: is_public ? 'public' : 'private' }
  const typed = Object.fromEntries(SETTING_NAMES.map((name) => [name, typedAs(values[name])]))
  return { version, typed: typed as Readonly<Record<SettingName, string>> }
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

const categorySchema = resource('Category', { slug: z.string(), name: z.string() })

export const categoryEndpoint = reading(
  '/courses/:course/categories',
  listOf(categorySchema),
  { name: 'listCategories', tag: 'courses' },
  async (call) => {
    const course = await readableCourse(call)
    const categories = await listCategories(call.request.server.db, course.id)
    return { items: categories.map((category) => ({ ...category, links: {} })), next: null }
  },
)
