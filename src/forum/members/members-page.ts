import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Option } from '../../accounts/settings/settings-page.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { choiceParam, queryParam } from '../../web/params.ts'
import { membersPath, pathWith } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { instructorIds } from '../courses/roles.ts'
import { type Added, countsOf } from './add-members.ts'
import { listAsked } from './asked-roles.ts'
import { ROLES } from './form.ts'
import { listInvitations } from './invitations.ts'
import type { AddressColumn } from './member-columns.ts'
import { countMembers, listMembers, listWaiting, type Member, SHOWN } from './queries.ts'
import { type Selected, selectionOf } from './selection-view.ts'

export interface ShownForms {
  readonly status?: number
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

/** The people of a course, for its staff. @param secret the links of invitations are made with it */
export async function showMembers(
  request: FastifyRequest,
  reply: FastifyReply,
  secret: SecretKeys,
  course: Course,
  forms: ShownForms = {},
) {
  const t = translatorFor(request)
  const show = choiceParam(request, 'show', SHOWN, 'everybody')
  const search = queryParam(request, 'q')
  const path = membersPath(course.slug)
  const part = pageRequest(request, 'count')
  const { db } = request.server
  const isInvited = show === 'invited'
  const page = isInvited
    ? { rows: [], hasNewer: false, hasOlder: false }
    : await listMembers(db, course.id, { show, search }, part)
  const counts = search === null ? await countMembers(db, course.id) : null
  const waiting = isInvited ? await listWaiting(db, course.id, search) : []
  const timeZone = request.person?.timeZone ?? course.timeZone
  const { selected } = forms
  const asked = may(request.person, 'change-members', placeOf(course)) ? await listAsked(db, course.id) : null
  const instructors = asked === null ? [] : await instructorIds(db, course.id)
  const members = page.rows.map((member) => ({
    ...memberRow(t, request, member, path, timeZone, selected),
    isLastInstructor: instructors.length === 1 && instructors[0] === member.id,
  }))
  const changing = asked === null ? null : await changingOf(t, request, secret, course, forms, asked.count)
  const isAsked = isInvited || forms.report !== undefined || forms.askedError !== undefined
  const selectable = isInvited
    ? waiting.map((_, at) => at)
    : members.filter(({ isYou }) => !isYou).map(({ id }) => id)
  return reply.page(
    'members/index',
    {
      title: [
        ...(isAdding(request) ? [t('members.add.open')] : []),
        ...(show === 'everybody' ? [] : [t(`members.show.${show}`)]),
        t('members.title'),
      ].join(' · '),
      path,
      search: search ?? '',
      show,
      tabs: SHOWN.map((name) => ({
        text: t(`members.show.${name}`),
        path: pathWith(path, { show: name === 'everybody' ? null : name, q: search }),
        isCurrent: name === show,
        count: counts?.[name] ?? null,
      })),
      members,
      waiting: waiting.map(({ email, name, role, given_at }, id) => ({
        id,
        email,
        name,
        role,
        since: writtenDate(given_at, timeZone, t),
        isSelected: selected?.values.has(email) === true,
      })),
      changing,
      selection:
        changing === null || selectable.length === 0
          ? null
          : selectionOf(t, request, course.slug, isInvited, selected),
      report: forms.report ?? null,
      counts: forms.report === undefined ? [] : countsOf(forms.report),
      asked: asked !== null && isAsked && asked.count > 0 ? { ...asked, path: `${path}/roles` } : null,
      errors: errorsOf(t, forms, selectable),
      ...pageLinks(page, ({ id }) => ({ value: 0, id }), path, {
        show: show === 'everybody' ? null : show,
        q: search,
      }),
    },
    {
      status: forms.status ?? 200,
      course: course.slug,
      bar: await barOf(contextOf(request), course, 'members'),
      isForStaff: true,
      script: 'running',
    },
  )
}

function errorsOf(
  t: Translate,
  { askedError, lastInstructor, selected }: ShownForms,
  selectable: readonly number[],
) {
  if (askedError !== undefined) return [{ field: 'asked', text: t(askedError) }]
  const ofRow =
    lastInstructor === undefined
      ? []
      : [{ field: `role-${lastInstructor}`, text: t('members.lastInstructor') }]
  if (selected?.error === undefined) return ofRow
  const isRole = selected.error === 'members.selection.noRole'
  return [
    { field: isRole ? 'selection-role' : `select-${selectable[0] ?? ''}`, text: t(selected.error) },
    ...ofRow,
  ]
}

function memberRow(
  t: Translate,
  { person }: FastifyRequest,
  member: Member,
  path: string,
  timeZone: string,
  selected: Selected | undefined,
) {
  const { id, displayName, email, role, questionsCount, answersCount } = member
  return {
    id,
    byline: personByline({ id, displayName, role }),
    ...{ email, role, questionsCount, answersCount },
    // One's own row is not selected with the others: one's own role is changed in it.
    isYou: id === person?.id,
    isSelected: selected?.values.has(String(id)) === true,
    lastSeen: member.lastSeenAt === null ? null : writtenDate(member.lastSeenAt, timeZone, t),
    action: `${path}/${id}`,
    roles: roleOptions(t, role),
  }
}

/** The page is asked for as the one that adds people. */
const isAdding = (request: FastifyRequest) => queryParam(request, 'add') === '1'

async function changingOf(
  t: Translate,
  request: FastifyRequest,
  secret: SecretKeys,
  course: Course,
  forms: ShownForms,
  askedCount: number,
) {
  const { db, config } = request.server
  const invitationsPath = `/courses/${encodeURIComponent(course.slug)}/invitations`
  const timeZone = request.person?.timeZone ?? course.timeZone
  const invitations = await listInvitations(db, secret, course.id)
  const form = forms.form ?? freshForm({ role: 'learner', mail: '1' })
  const invitationForm = forms.invitationForm ?? freshForm({ role: 'learner' })
  const typed = [forms.form, forms.listForm, forms.invitationForm].some(
    (one) => one !== undefined && (one.errors.length > 0 || Boolean(one.typed.list || one.typed.email)),
  )
  return {
    // The forms stand on the page: one of them was sent, or the address says so.
    isOpen: isAdding(request) || typed,
    isSending: config.smtpUrl !== null,
    form,
    listForm: forms.listForm ?? freshForm({ mail: '1' }),
    columns: (forms.columns ?? []).map(({ index, title, example }) => ({
      value: String(index),
      text: t('members.list.column', { number: index + 1, title, example }),
      selected: forms.listForm?.typed.column === String(index),
    })),
    asked: { count: askedCount, path: `${membersPath(course.slug)}?show=invited#asked` },
    invitationForm,
    roles: roleOptions(t, form.typed.role ?? ''),
    invitedRoles: roleOptions(t, invitationForm.typed.role ?? ''),
    invitations: invitations.map(({ id, role, token, until, uses, used }) => ({
      // Made with a SECRET that is known no more.
      link: token === null ? null : `${config.baseUrl}/join/${token}`,
      role,
      until: writtenDate(new Date(until.getTime() - 1), timeZone, t),
      usesLeft: uses === null ? null : uses - used,
      endPath: `${invitationsPath}/${id}/end`,
    })),
    invitationsPath,
    waitingPath: `/courses/${encodeURIComponent(course.slug)}/waiting/removal`,
  }
}

function roleOptions(t: Translate, chosen: string): Option[] {
  return ROLES.map((value) => ({ value, text: t(`members.role.${value}`), selected: value === chosen }))
}
