import { courseTimeZoneOptions, OWN_LANGUAGES } from '../../accounts/settings/settings-page.ts'
import { AGENTS_OF, letsAgentsIn } from '../../kernel/rights/agents.ts'
import { hasMessage, type Translate } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { firstStepsOf } from '../courses/first-steps.ts'
import { type Bringing, bringingOf } from './brought-questions.ts'
import { runningPage } from './nav.ts'
import {
  type CourseSettings,
  findSettings,
  newCourseForm,
  SECTION_NAMES,
  SECTIONS,
  SETTING_NAMES,
  type Section,
  type SettingName,
} from './settings.ts'

interface Shown {
  /** What is typed into some of the settings; as they are otherwise. */
  readonly form?: FormState
  /** The version that the form began with; null after a conflict, when saving again is meant to win. */
  readonly begunWith?: number | null
}

export const showSettings = runningPage(
  'course-settings/edit',
  'general',
  { script: 'settings' },
  async (context, shown: Shown = {}) => {
    const { t, db, server, course } = context
    const settings = await findSettings(db, course.id)
    const { questionsCount } = await server.asides.of(course.id)
    const first = await firstStepsOf(context, course, questionsCount)
    const bringing = await bringingOf(db, course.id)
    const typed = shown.form?.typed ?? {}
    const form = { ...(shown.form ?? freshForm()), typed: { ...settings.typed, ...typed } }
    return {
      title: t('courseSettings.edit.title'),
      bringing: bringing && bringingText(t, bringing),
      ...settingFields(context, form, { letsAgents: await letsAgentsIn(db) }),
      action: courseSettingsPath(course.slug),
      version: shown.begunWith ?? settings.version,
      // What somebody else chose meanwhile.
      theirs: shown.begunWith === null ? differences(t, settings, form) : null,
      sections: SECTION_NAMES.map((name) => ({
        name,
        isTyped: SECTIONS[name].flat().some((setting) => setting in typed),
      })),
      firstStepsAction: first?.isHidden === true ? first.action : null,
    }
  },
)

/** How far the questions are that the course gets of another. */
function bringingText(t: Translate, { state, all, done }: Bringing): string {
  if (state === 'failed') return t('courseSettings.bringing.failed')
  return all === null
    ? t('courseSettings.bringing.begun')
    : t('courseSettings.bringing.waiting', { all, done })
}

/**
 * The controls of a course's settings, by section: views/course-settings. A new course holds what its visibility suggests, until its
 * staff choose.
 * @param letsAgents whether the forum does
 */
export function settingFields(
  { t, formFields, lang, config }: PageContext,
  form: FormState,
  { isNew = false, letsAgents = false } = {},
) {
  const fields = formFields('courseSettings', newCourseForm, form, {
    description: { rows: 2 },
    language: { options: OWN_LANGUAGES },
    time_zone: { options: courseTimeZoneOptions(lang, form.typed.time_zone) },
    asking: { id: 'who-asks' },
    agents: {
      options: ['', ...AGENTS_OF].map((value) => ({
        value,
        text: t(`courseSettings.agents.${value || 'usual'}`),
      })),
    },
    promise_hours: { maxlength: 4 },
    asks_about_code: { maxlength: 4 },
    synonyms: { rows: 6 },
    lectures: { rows: 8, max: undefined },
    instructor: { autocomplete: 'off' },
  })
  const unused: readonly SettingName[] = [
    ...(config.embeddingsUrl === null ? ['allows_embeddings' as const] : []),
    ...(letsAgents ? [] : ['agents' as const]),
  ]
  const shown = (name: SettingName) => (unused.includes(name) ? [] : [fields[name]])
  const rowsOf = (section: Section) =>
    SECTIONS[section].flatMap((row) => (typeof row === 'string' ? shown(row) : [row.flatMap(shown)]))
  return {
    form,
    fields,
    folded: [fields.synonyms, fields.asks_about_code, ...(isNew ? [] : [fields.hold])],
    rows: { general: rowsOf('general'), access: rowsOf('access'), asking: rowsOf('asking') },
  }
}

function differences(t: Translate, { typed }: CourseSettings, form: FormState) {
  return SETTING_NAMES.filter((name) => typed[name] !== form.typed[name]).map((name) => ({
    label: t(`courseSettings.${name}.label`),
    value: shownValue(t, name, typed[name]),
  }))
}

function shownValue(t: Translate, name: SettingName, value: string): string {
  const { type, enum: choices = [] } = newCourseForm[name].meta() ?? {}
  if (type === 'boolean') return t(value === '' ? 'courseSettings.off' : 'courseSettings.on')
  const choice = `courseSettings.${name}.${value}`
  return choices.includes(value) && hasMessage(choice) ? t(choice) : value
}
