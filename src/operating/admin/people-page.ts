import type { FastifyReply, FastifyRequest } from 'fastify'
import { readerTimeZone } from '../../accounts/settings/reader-time-zone.ts'
import type { Role } from '../../database/schema.ts'
import { type Byline, personByline } from '../../forum/authors/byline.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { translatorFor } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { ADMIN_HEAD, adminNav, type InAdmin } from './nav.ts'
import {
  countPeople,
  type ListedPerson,
  listPeople,
  MAX_COUNTED,
  PEOPLE_SHOWN,
  type PeopleShown,
} from './people-list.ts'

/** All accounts: views/admin/people.eta. */
interface AdminPeople extends InAdmin, PageLinks {
  readonly show: PeopleShown
  readonly search: string
  readonly tabs: readonly {
    readonly text: string
    readonly path: string
    readonly isCurrent: boolean
    readonly count: string
  }[]
  readonly people: readonly {
    readonly byline: Byline
    readonly email: string | null
    readonly isConfirmed: boolean
    readonly isAdmin: boolean
    /** 'Instructor in 2 courses'. */
    readonly roles: string
    /** 'Suspended in 1 course'; empty: they aren't. */
    readonly state: string
    readonly lastSeen: Moment | null
    readonly path: string
    readonly linkPath: string | null
  }[]
}

const PATH = '/admin/people'
/** In the order in which they are named. */
const ROLES: readonly Role[] = ['instructor', 'assistant', 'learner']

export async function showPeople(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const search = queryParam(request, 'q')
  const show = choiceParam(request, 'show', PEOPLE_SHOWN, 'everyone')
  const [page, counts] = await Promise.all([
    listPeople(db, { show, search }, pageRequest(request, 'count')),
    countPeople(db),
  ])
  const t = translatorFor(request)
  const timeZone = await readerTimeZone(request)
  const title = t('admin.people.title')
  const shown = (name: PeopleShown) => (name === 'everyone' ? null : name)
  return reply.page<AdminPeople>(
    'admin/people',
    {
      title:
        show === 'everyone'
          ? title
          : t('admin.people.tabTitle', { tab: t(`admin.people.show.${show}`), title }),
      ...adminNav(request, PATH),
      ...{ show, search: search ?? '' },
      tabs: PEOPLE_SHOWN.map((name) => ({
        text: t(`admin.people.show.${name}`),
        path: pathWith(PATH, { show: shown(name), q: search }),
        isCurrent: name === show,
        count: countText(t, counts[name]),
      })),
      people: page.rows.map((person) => personRow(t, person, timeZone)),
      ...pageLinks(page, ({ id }) => ({ value: 0, id }), PATH, { show: shown(show), q: search }),
    },
    ADMIN_HEAD,
  )
}

const countText = (t: Translate, count: number) =>
  count > MAX_COUNTED ? t('admin.people.more', { count: MAX_COUNTED }) : t('questions.row.number', { count })

function personRow(t: Translate, person: ListedPerson, timeZone: string): AdminPeople['people'][number] {
  const { id, displayName, email, isAdmin, isConfirmed, lastSeenAt } = person
  const roles = ROLES.flatMap((role) => {
    const count = person.roles[role] ?? 0
    return count === 0 ? [] : [t(`admin.people.in.${role}`, { count })]
  })
  return {
    byline: personByline({ id, displayName, role: null }),
    ...{ email, isConfirmed, isAdmin },
    roles: roles.length === 0 ? t('admin.people.in.none') : roles.join(', '),
    state: stateOf(t, person),
    lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
    path: `${PATH}/${id}`,
    linkPath: person.canSignIn ? `${PATH}/${id}/link` : null,
  }
}

function stateOf(t: Translate, { isSuspendedEverywhere, suspendedIn }: ListedPerson): string {
  if (isSuspendedEverywhere) return t('measures.suspend.everywhere')
  return suspendedIn === 0 ? '' : t('admin.people.suspendedIn', { count: suspendedIn })
}
