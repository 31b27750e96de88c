import type { Loaded } from '../../web/page.ts'
import {
  courseBlocklistPath,
  coursePath,
  courseSettingsPath,
  courseTagSettingsPath,
} from '../../web/paths.ts'
import type { PageHead } from '../../web/shell.ts'
import type { ViewName } from '../../web/view-context.ts'
import { type CourseContext, coursePage } from '../courses/course-page.ts'

const PLACES = [
  { name: 'general', pathOf: courseSettingsPath },
  { name: 'access', pathOf: (slug: string) => `${courseSettingsPath(slug)}#access` },
  { name: 'asking', pathOf: (slug: string) => `${courseSettingsPath(slug)}#asking` },
  { name: 'categories', pathOf: (slug: string) => `${coursePath(slug)}/categories` },
  { name: 'tags', pathOf: courseTagSettingsPath },
  { name: 'blocklist', pathOf: courseBlocklistPath },
  { name: 'rules', pathOf: (slug: string) => `${courseSettingsPath(slug)}/rules` },
  { name: 'audit', pathOf: (slug: string) => `${coursePath(slug)}/audit` },
  { name: 'tokens', pathOf: (slug: string) => `${courseSettingsPath(slug)}/tokens` },
  { name: 'webhooks', pathOf: (slug: string) => `${courseSettingsPath(slug)}/webhooks` },
  { name: 'transfer', pathOf: (slug: string) => `${courseSettingsPath(slug)}/import` },
  { name: 'copy', pathOf: (slug: string) => `${courseSettingsPath(slug)}/copy` },
] as const

type Place = (typeof PLACES)[number]['name']

/** A page on which a course is run, with the others beside it: views/accounts/_settings-nav.eta. */
export function runningPage<Given extends unknown[], Data extends Loaded>(
  view: ViewName,
  current: Place,
  head: PageHead,
  load: (context: CourseContext, ...given: Given) => Promise<Data>,
) {
  const fixed = { right: 'manage', place: 'settings', isForStaff: true, ...head } as const
  return coursePage(view, fixed, async (context, ...given: Given) => ({
    ...(await load(context, ...given)),
    nav: runningNav(context, current),
  }))
}

function runningNav({ t, course }: CourseContext, current: Place) {
  return PLACES.map(({ name, pathOf }) => ({
    text: t(`courseSettings.nav.${name}`),
    path: pathOf(course.slug),
    isCurrent: name === current,
  }))
}
