import { may } from '../kernel/rights/rights.ts'
import { type Loaded, type PageContext, page } from './page.ts'
import { queryParam } from './params.ts'
import { pathWith, SECURITY } from './paths.ts'
import type { PageHead } from './shell.ts'
import type { ViewName } from './view-context.ts'

const PLACES = [
  { path: '/settings', title: 'accounts.settings.yours', act: null },
  { path: '/settings/notifications', title: 'mailing.settings', act: null },
  { path: SECURITY, title: 'accounts.security.title', act: null },
  { path: '/settings/tokens', title: 'tokens.title', act: null },
  { path: '/settings/apps', title: 'apps.title', act: null },
  { path: '/settings/standing', title: 'standing.title', act: null },
  { path: '/settings/account', title: 'leaving.title', act: null },
  // Led to where there is something, as few ever have it.
  { path: '/settings/claims', title: 'claims.title', act: null, isLedTo: true },
  { path: '/admin', title: 'admin.title', act: 'look-after-forum' },
  { path: '/settings/site', title: 'site.title', act: 'decide-settings' },
  { path: '/mail', title: 'mail.index.title', act: 'see-mail' },
] as const

type Place = (typeof PLACES)[number]['path']

/** A page of the settings, with the others beside it: for views/accounts/_settings-nav.eta. */
export function settingsPage<Given extends unknown[], Data extends Loaded>(
  view: ViewName,
  current: Place,
  head: PageHead,
  load: (context: PageContext, ...given: Given) => Data | Promise<Data>,
) {
  return page(view, head, async (context, ...given: Given) => ({
    ...(await load(context, ...given)),
    ...settingsNav(context, current),
  }))
}

/**
 * The pages of the settings that the one who asks may open.
 * @param current path of the page that is shown, or that it belongs to
 */
function settingsNav({ t, viewer, query }: PageContext, current: Place) {
  const open = PLACES.filter(
    (place) =>
      (!('isLedTo' in place) || place.path === current) && (place.act === null || may(viewer, place.act)),
  )
  const course = queryParam({ query }, 'course')
  return {
    nav: open.map(({ path, title }) => ({
      text: t(title),
      path: pathWith(path, { course }),
      isCurrent: path === current,
    })),
  }
}
