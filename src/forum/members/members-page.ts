import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { listPage, tabsAt } from '../../web/list.ts'
import { type Address, choiceParam, queryParam } from '../../web/params.ts'
import { coursePath, membersPath, pathWith } from '../../web/paths.ts'
import type { OptionView } from '../../web/view-context.ts'
import { personByline } from '../authors/byline.ts'
import { type CourseContext, coursePage } from '../courses/course-page.ts'
import { instructorIds } from '../courses/roles.ts'
import { spammerPath } from '../handling/spammer-path.ts'
import { type Added, countsOf } from './add-members.ts'
import { listAsked } from './asked-roles.ts'
import { address, column, invitation, list, ROLES, role } from './form.ts'
import { listInvitations } from './invitations.ts'
import type { AddressColumn } from './member-columns.ts'
import { countMembers, listMembers, listWaiting, SHOWN, type Shown } from './queries.ts'

/** What is asked before people are removed. */
export interface Removing {
  /** Of the fields that select them. */
  readonly field: 'person' | 'email'
  /** `name`: or address. */
  readonly rows: readonly { readonly name: string; readonly value: string | number }[]
}

interface Selected {
  readonly values: ReadonlySet<string>
  readonly role: string
  /** A message key: what is wrong with the selection. */
  readonly error?: string
  readonly removing?: Removing
}

interface ShownForms {
  readonly form?: FormState
  readonly listForm?: FormState
  readonly invitationForm?: FormState
  readonly report?: Added
  readonly columns?: readonly AddressColumn[]
  /** A message key: what is wrong with the answer to roles that lists named. */
  readonly askedError?: string
  /** Whose role stays, as the course has no other instructor. */
  readonly lastInstructor?: number
  readonly selected?: Selected
}

/** The people of a course, for its staff. */
export const showMembers = coursePage(
  'members/index',
  { right: 'see-members', place: 'members', isForStaff: true, script: 'running' },
  async (context, forms: ShownForms = {}) => {
    const { t, db, course, viewer } = context
    const { report, selected, askedError } = forms
    const search = queryParam(context, 'q')
    const path = membersPath(course.slug)
    const tabText = (name: Shown) => t(`members.show.${name}`)
    const { chosen: show, ...list } = tabsAt(context, path, 'show', SHOWN, tabText, { q: search })
    const isInvited = show === 'invited'
    const { rows, links } = await listPage(context, list.path, 'count', async (asked) =>
      isInvited
        ? { rows: [], newer: null, older: null }
        : listMembers(db, course.id, { show, search }, asked),
    )
    const counts = search === null ? await countMembers(db, course.id) : null
    const waiting = isInvited ? await listWaiting(db, course.id, search) : []
    const asked = context.may('change-members') ? await listAsked(db, course.id) : null
    const instructors = asked === null ? [] : await instructorIds(db, course.id)
    const changing = asked === null ? null : await changingOf(context, forms, asked.count)
    const isAsked = isInvited || report !== undefined || askedError !== undefined
    const timeZone = await context.timeZone()
    const selectable = isInvited
      ? waiting.map((_, at) => at)
      : rows.flatMap(({ id }) => (id === viewer?.id ? [] : [id]))
    const title = list.titled(t('members.title'))
    const here = listPath(context, course.slug)
    return {
      title: isAdding(context) ? `${t('members.add.open')} · ${title}` : title,
      path,
      search: search ?? '',
      show,
      tabs: list.tabs.map((tab) => ({
        ...tab,
        n: counts && t('questions.row.number', { count: counts[tab.name] }),
      })),
      members: rows.map(({ displayName, lastSeenAt, isAdmin, ...member }) => ({
        ...member,
        byline: personByline({ id: member.id, displayName, role: member.role }),
        // One's own row is not selected with the others: one's own role is changed in it.
        isYou: member.id === viewer?.id,
        isSelected: selected?.values.has(String(member.id)) === true,
        lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
        action: `${path}/${member.id}`,
        spammerPath: spammerPath(viewer, { ...member, isAdmin }, course, here),
        roles: roleOptions(t, member.role),
        isLastInstructor: instructors.length === 1 && instructors[0] === member.id,
      })),
      waiting: waiting.map(({ given_at, ...one }, id) => ({
        ...one,
        id,
        since: writtenDate(given_at, timeZone, t),
        isSelected: selected?.values.has(one.email) === true,
      })),
      changing,
      selection:
        changing === null || selectable.length === 0 ? null : selectionOf(context, isInvited, selected),
      report: report ?? null,
      counts: report === undefined ? [] : countsOf(report),
      asked: isAsked && asked !== null && asked.count > 0 ? { ...asked, path: `${path}/roles` } : null,
      errors: errorsOf(t, forms, selectable),
      ...links,
    }
  },
)

/** The page is asked for as the one that adds people. */
const isAdding = (address: Pick<Address, 'query'>) => queryParam(address, 'add') === '1'

async function changingOf(
  { t, formFields, db, server, config, course, isSending, query, timeZone }: CourseContext,
  {
    form = freshForm({ role: 'learner', mail: '1' }),
    listForm = freshForm({ mail: '1' }),
    invitationForm = freshForm({ role: 'learner' }),
    columns = [],
  }: ShownForms,
  askedCount: number,
) {
  const path = coursePath(course.slug)
  const zone = await timeZone()
  const invitations = await listInvitations(db, server.secretKeys, course.id)
  const isSent = [form, listForm, invitationForm].some(
    ({ errors, typed }) => errors.length > 0 || Boolean(typed.list || typed.email),
  )
  return {
    // The forms stand on the page: one of them was sent, or the address says so.
    isOpen: isAdding({ query }) || isSent,
    isSending,
    form,
    fields: formFields('members', { email: address, role }, form, { email: { autocomplete: 'off' } }),
    listForm,
    listFields: formFields('members', { list, column }, listForm, {
      list: { rows: 5, spellcheck: false, optional: false },
      column: {
        options: columns.map(({ index, title, example }) => ({
          value: String(index),
          text: t('members.list.column', { number: index + 1, title, example }),
        })),
      },
    }),
    asksColumn: columns.length > 0,
    asked: { count: askedCount, path: `${membersPath(course.slug)}?show=invited#asked` },
    invitationForm,
    invitationFields: formFields('members', invitation, invitationForm, {
      role: { id: 'invitation-role' },
      until: { id: 'invitation-until' },
      uses: { id: 'invitation-uses' },
    }),
    invitations: invitations.map(({ id, role, token, until, uses, used }) => ({
      // Made with a SECRET that is known no more.
      link: token === null ? null : `${config.baseUrl}/join/${token}`,
      role,
      until: writtenDate(new Date(until.getTime() - 1), zone, t),
      usesLeft: uses === null ? null : uses - used,
      endPath: `${path}/invitations/${id}/end`,
    })),
    invitationsPath: `${path}/invitations`,
    waitingPath: `${path}/waiting/removal`,
  }
}

function roleOptions(t: Translate, chosen: string | undefined): OptionView[] {
  return ROLES.map((value) => ({ value, text: t(`members.role.${value}`), selected: value === chosen }))
}

/** The acts on the selected rows of a list: views/members/_selection.eta. */
function selectionOf(
  { t, query, course }: CourseContext,
  isInvited: boolean,
  selected: Selected | undefined,
) {
  return {
    // With the query of the list, so that the same part of it comes back.
    action: listPath({ query }, course.slug, isInvited ? 'waiting/selection' : 'members/selection'),
    roles: [
      { value: '', text: t('members.selection.role'), selected: (selected?.role ?? '') === '' },
      ...roleOptions(t, selected?.role),
    ],
    isInvited,
    removing: selected?.removing ?? null,
  }
}

/** The part of the list that a request is about: tab, search and page. */
export function listPath(address: Pick<Address, 'query'>, slug: string, act = ''): string {
  const path = act === '' ? membersPath(slug) : `${coursePath(slug)}/${act}`
  const show = choiceParam(address, 'show', SHOWN, 'everybody')
  return pathWith(path, {
    show: show === 'everybody' ? null : show,
    q: queryParam(address, 'q'),
    after: queryParam(address, 'after'),
    before: queryParam(address, 'before'),
  })
}

function errorsOf(
  t: Translate,
  { askedError, lastInstructor, selected }: ShownForms,
  selectable: readonly number[],
) {
  if (askedError !== undefined) return [{ field: 'asked', text: t(askedError) }]
  if (lastInstructor !== undefined)
    return [{ field: `role-${lastInstructor}`, text: t('members.lastInstructor') }]
  if (selected?.error === undefined) return []
  const isRole = selected.error === 'members.selection.noRole'
  return [{ field: isRole ? 'selection-role' : `select-${selectable[0] ?? ''}`, text: t(selected.error) }]
}
