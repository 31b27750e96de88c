import {
  courseLanguageOptions,
  courseTimeZoneOptions,
  type Option,
} from '../../accounts/settings/settings-page.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { firstStepsOf } from '../courses/first-steps.ts'
import { runningPage } from './nav.ts'
import {
  ACCENTS,
  ASKING,
  type CourseSettings,
  findSettings,
  SECTION_NAMES,
  SECTIONS,
  SETTING_NAMES,
  type SettingName,
  VISIBILITIES,
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
    const typed = shown.form?.typed ?? {}
    const form = { ...(shown.form ?? freshForm()), typed: { ...settings.typed, ...typed } }
    return {
      title: t('courseSettings.edit.title'),
      ...settingFields(context, form),
      action: courseSettingsPath(course.slug),
      version: shown.begunWith ?? settings.version,
      // What somebody else chose meanwhile.
      theirs: shown.begunWith === null ? differences(t, settings, form) : null,
      sections: SECTION_NAMES.map((name) => ({
        name,
        isTyped: SECTIONS[name].some((setting) => setting in typed),
      })),
      firstStepsAction: first?.isHidden === true ? first.action : null,
    }
  },
)

/** What the fields of a course's settings are chosen from: _general, _access and _asking in views/course-settings. */
export function settingFields({ t, lang, config }: PageContext, form: FormState) {
  const options = (name: 'visibility' | 'asking' | 'accent', values: readonly string[]): Option[] =>
    values.map((value) => ({
      value,
      text: t(`courseSettings.${name}.${value}`),
      selected: value === form.typed[name],
    }))
  return {
    form,
    languages: courseLanguageOptions(form.typed.language ?? ''),
    timeZones: courseTimeZoneOptions(lang, form.typed.time_zone ?? ''),
    visibilities: options('visibility', VISIBILITIES),
    asking: options('asking', ASKING),
    accents: options('accent', ACCENTS),
    // To which posts of the course may be sent.
    hasEmbeddings: config.embeddingsUrl !== null,
  }
}

/** Where a field's words have another name than the field. */
const LABELS: Readonly<Partial<Record<SettingName, string>>> = {
  time_zone: 'timeZone',
  promise_hours: 'promise',
  question_template: 'template',
  allows_private: 'private',
  allows_anonymous: 'anonymous',
  allows_embeddings: 'embeddings',
}

function differences(t: Translate, { typed }: CourseSettings, form: FormState) {
  return SETTING_NAMES.filter((name) => typed[name] !== form.typed[name]).map((name) => ({
    label: t(`courseSettings.${LABELS[name] ?? name}.label`),
    value: shownValue(t, name, typed[name]),
  }))
}

function shownValue(t: Translate, name: SettingName, value: string): string {
  const isChoice = name === 'visibility' || name === 'asking' || name === 'accent'
  if (name === 'allows_private' || name === 'allows_anonymous' || name === 'allows_embeddings')
    return t(value === '' ? 'courseSettings.off' : 'courseSettings.on')
  return isChoice ? t(`courseSettings.${name}.${value}`) : value
}
