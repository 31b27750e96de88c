import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { type Loaded, type PageContext, page } from '../../web/page.ts'
import type { PageHead } from '../../web/shell.ts'
import type { ViewName } from '../../web/view-context.ts'

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

type Place = (typeof PLACES)[number]['path']

/**
 * A page of the admin, with the others beside it; nobody else sees it.
 * @param current path of the one that is shown, or that it belongs to
 */
export function adminPage<Given extends unknown[], Data extends Loaded>(
  view: ViewName,
  current: Place,
  load: (context: PageContext, ...given: Given) => Data | Promise<Data>,
  head: PageHead = {},
) {
  return page(view, { ...ADMIN_HEAD, ...head }, async (context, ...given: Given) => {
    if (!may(context.person(), 'look-after-forum')) throw forbidden()
    return { ...(await load(context, ...given)), ...adminNav(context, current) }
  })
}

export function adminNav({ t }: PageContext, current: Place): InAdmin {
  return { nav: PLACES.map(({ path, title }) => ({ text: t(title), path, isCurrent: path === current })) }
}
