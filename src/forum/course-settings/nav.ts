import type { FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { coursePath, courseSettingsPath } from '../../web/paths.ts'

const PLACES = [
  { name: 'general', pathOf: courseSettingsPath },
  { name: 'access', pathOf: (slug: string) => `${courseSettingsPath(slug)}#access` },
  { name: 'asking', pathOf: (slug: string) => `${courseSettingsPath(slug)}#asking` },
  { name: 'categories', pathOf: (slug: string) => `${coursePath(slug)}/categories` },
  { name: 'rules', pathOf: (slug: string) => `${courseSettingsPath(slug)}/rules` },
  { name: 'audit', pathOf: (slug: string) => `${coursePath(slug)}/audit` },
  { name: 'tokens', pathOf: (slug: string) => `${courseSettingsPath(slug)}/tokens` },
  { name: 'copy', pathOf: (slug: string) => `${courseSettingsPath(slug)}/copy` },
] as const

/** The pages on which a course is run: views/accounts/_settings-nav.eta. @param current the one that is shown */
export function runningNav(request: FastifyRequest, slug: string, current: (typeof PLACES)[number]['name']) {
  const t = translatorFor(request)
  return PLACES.map(({ name, pathOf }) => ({
    text: t(`courseSettings.nav.${name}`),
    path: pathOf(slug),
    isCurrent: name === current,
  }))
}
