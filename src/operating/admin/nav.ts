import type { FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'

/** The navigation of the admin pages: views/accounts/_settings-nav.eta. */
export interface InAdmin {
  readonly nav: readonly { readonly text: string; readonly path: string; readonly isCurrent: boolean }[]
}

const PLACES = [
  { path: '/admin', title: 'admin.title' },
  { path: '/admin/people', title: 'admin.people.title' },
  { path: '/admin/courses', title: 'admin.courses.title' },
  { path: '/moderation', title: 'cases.queue.title' },
  { path: '/audit', title: 'audit.title' },
  { path: '/admin/sign-in', title: 'providers.title' },
  { path: '/admin/pages', title: 'policies.title' },
  { path: '/mail', title: 'mail.index.title' },
  { path: '/settings/site', title: 'site.title' },
] as const

/** Pages of the admin are staff's, and for no search engine. */
export const ADMIN_HEAD = { isForStaff: true, robots: 'noindex' } as const

/** The pages of the admin. @param current path of the one that is shown, or that it belongs to */
export function adminNav(request: FastifyRequest, current: (typeof PLACES)[number]['path']): InAdmin {
  const t = translatorFor(request)
  return { nav: PLACES.map(({ path, title }) => ({ text: t(title), path, isCurrent: path === current })) }
}
