import { requireRight } from '../../kernel/require-right.ts'
import { type Loaded, type PageContext, page } from '../../web/page.ts'
import type { PageHead } from '../../web/shell.ts'
import type { ViewName } from '../../web/view-context.ts'

const PLACES = [
  { path: '/admin', title: 'admin.title' },
  { path: '/admin/people', title: 'admin.people.title' },
  { path: '/admin/courses', title: 'admin.courses.title' },
  { path: '/moderation', title: 'cases.queue.title' },
  { path: '/admin/blocklist', title: 'blocklist.title' },
  { path: '/admin/webhooks', title: 'webhooks.title' },
  { path: '/audit', title: 'audit.title' },
  { path: '/admin/sign-in', title: 'providers.title' },
  { path: '/admin/apps', title: 'apps.admin.title' },
  { path: '/admin/pages', title: 'policies.title' },
  { path: '/mail', title: 'mail.index.title' },
  { path: '/settings/site', title: 'site.title' },
] as const

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
  return page(view, { isForStaff: true, robots: 'noindex', ...head }, async (context, ...given: Given) => {
    requireRight(context.viewer, 'look-after-forum', null)
    const nav = PLACES.map(({ path, title }) => ({
      text: context.t(title),
      path,
      isCurrent: path === current,
    }))
    return { ...(await load(context, ...given)), nav }
  })
}
