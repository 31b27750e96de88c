import type { FastifyRequest } from 'fastify'
import { may } from '../kernel/rights/rights.ts'
import { translatorFor } from './language.ts'
import { queryParam } from './params.ts'
import { pathWith, SECURITY } from './paths.ts'

/** A page of the settings in their list of pages: views/accounts/_settings-nav.eta. */
export interface SettingsPlace {
  readonly text: string
  readonly path: string
  readonly isCurrent: boolean
}

/** What every page of the settings has beside its own data. */
export interface InSettings {
  readonly nav: readonly SettingsPlace[]
}

const PLACES = [
  { path: '/settings', title: 'accounts.settings.yours', act: null },
  { path: '/settings/notifications', title: 'mailing.title', act: null },
  { path: SECURITY, title: 'accounts.security.title', act: null },
  { path: '/settings/tokens', title: 'tokens.title', act: null },
  { path: '/settings/standing', title: 'standing.title', act: null },
  { path: '/settings/account', title: 'leaving.title', act: null },
  { path: '/admin', title: 'admin.title', act: 'look-after-forum' },
  { path: '/settings/site', title: 'site.title', act: 'decide-settings' },
  { path: '/mail', title: 'mail.index.title', act: 'see-mail' },
] as const

/**
 * The pages of the settings that the one who asks may open.
 * @param current path of the page that is shown, or that it belongs to
 */
export function settingsNav(request: FastifyRequest, current: (typeof PLACES)[number]['path']): InSettings {
  const t = translatorFor(request)
  const open = PLACES.filter(({ act }) => act === null || may(request.person, act))
  const course = queryParam(request, 'course')
  return {
    nav: open.map(({ path, title }) => ({
      text: t(title),
      path: pathWith(path, { course }),
      isCurrent: path === current,
    })),
  }
}
