import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  courseLanguageOptions,
  courseTimeZoneOptions,
  type Option,
} from '../../accounts/settings/settings-page.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { firstStepsOf } from '../courses/first-steps.ts'
import type { Course } from '../courses/queries.ts'
import { runningNav } from './nav.ts'
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
  readonly status?: number
  /** What is typed into some of the settings; as they are otherwise. */
  readonly form?: FormState
  /** The version that the form began with; null after a conflict, when saving again is meant to win. */
  readonly begunWith?: number | null
}

export async function showSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  shown: Shown = {},
) {
  const t = translatorFor(request)
  const settings = await findSettings(request.server.db, course.id)
  const { questionsCount } = await request.server.asides.of(course.id)
  const first = await firstStepsOf(request, course, questionsCount)
  const typed = shown.form?.typed ?? {}
  const form = { ...(shown.form ?? freshForm()), typed: { ...settings.typed, ...typed } }
  return reply.page(
    'course-settings/edit',
    {
      title: t('courseSettings.edit.title'),
      ...settingFields(request, form),
      nav: runningNav(request, course.slug, 'general'),
      action: courseSettingsPath(course.slug),
      version: shown.begunWith ?? settings.version,
      // What somebody else chose meanwhile.
      theirs: shown.begunWith === null ? differences(t, settings, form) : null,
      sections: SECTION_NAMES.map((name) => ({
        name,
        isTyped: SECTIONS[name].some((setting) => setting in typed),
      })),
      firstStepsAction: first?.isHidden === true ? first.action : null,
    },
    {
      status: shown.status ?? 200,
      course: course.slug,
      bar: await barOf(contextOf(request), course, 'settings'),
      isForStaff: true,
      script: 'settings',
    },
  )
}

/** What the fields of a course's settings are chosen from: _general, _access and _asking in views/course-settings. */
export function settingFields(request: FastifyRequest, form: FormState) {
  const language = languageOfRequest(request)
  const t = translatorOf(language)
  const options = (name: 'visibility' | 'asking' | 'accent', values: readonly string[]): Option[] =>
    values.map((value) => ({
      value,
      text: t(`courseSettings.${name}.${value}`),
      selected: value === form.typed[name],
    }))
  return {
    form,
    languages: courseLanguageOptions(form.typed.language ?? ''),
    timeZones: courseTimeZoneOptions(language, form.typed.time_zone ?? ''),
    visibilities: options('visibility', VISIBILITIES),
    asking: options('asking', ASKING),
    accents: options('accent', ACCENTS),
    // To which posts of the course may be sent.
    hasEmbeddings: request.server.config.embeddingsUrl !== null,
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
