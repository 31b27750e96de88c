import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { REPORT_REASONS, type Role } from '../../../database/schema.ts'
import { Problem } from '../../../kernel/problem.ts'
import { requireRight } from '../../../kernel/require-right.ts'
import { may } from '../../../kernel/rights/rights.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { isoDay } from '../../../text/dates.ts'
import { type FormState, freshForm, sentFields, typedFields } from '../../../web/form.ts'
import { openForm } from '../../../web/forms/door.ts'
import { type PageContext, page } from '../../../web/page.ts'
import { idParam, queryParam } from '../../../web/params.ts'
import { backPath, localPath } from '../../../web/paths.ts'
import { zoneIn } from '../../courses/course-page.ts'
import { mayHandle } from '../../handling/handlers.ts'
import { type InForce, measuresInForce, REMOVAL_DAYS } from '../../handling/in-force.ts'
import { listRules } from '../../policies/policy.ts'
import {
  findPersonPlace,
  mustBeAbove,
  type PersonPlace,
  postsRemoval,
  postsRestoration,
  removablePosts,
  suspension,
  suspensionEnd,
  suspensionThere,
} from '../acts-on-people.ts'
import { USUAL_LENGTH } from '../decision.ts'
import { ruleGroups } from './decide-view.ts'
import { casePath } from './queue-page.ts'
import { reportPath } from './report-page.ts'

const RESTORATION = {
  done: 'removal.flash.restored',
  none: 'removal.flash.none',
  late: 'removal.flash.late',
} as const

/**
 * The course that a form of such an act names; empty: everywhere.
 * @throws Problem where it names several
 */
export function courseIn({ body }: FastifyRequest): string {
  const { course = '' } = sentFields(body)
  if (typeof course !== 'string') throw new Problem('badRequest')
  return course
}

/** Acts of staff on a person: the profile and, for admins, the page of the account lead to their pages, or have their forms. */
export function registerPersonActs(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/people/${idParam(request, 'id')}`
  const door = {
    key: (request: FastifyRequest) => ({ personId: idParam(request, 'id'), course: courseIn(request) }),
    done: (_outcome: unknown, request: FastifyRequest) => backPath(request, formPage(request)),
    formPage,
  }
  const again = (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
    showSuspend(request, reply, form, typedFields(request.body))
  app.get('/people/:id/suspension', (request, reply) => showSuspend(request, reply))
  openForm(app, '/people/:id/suspension', suspension, {
    ...door,
    refused: again,
    flash: () => 'suspension.flash.begun',
    failed: (request, reply, error, form) =>
      error instanceof Problem && error.key === 'alreadySuspended' ? again(request, reply, form) : null,
  })
  openForm(app, '/people/:id/suspension/end', suspensionEnd, {
    ...door,
    flash: (_request, outcome) => (outcome?.ended === 0 ? 'suspension.flash.none' : 'suspension.flash.ended'),
  })
  app.get('/people/:id/posts/deletion', (request, reply) => showDeletePosts(request, reply))
  openForm(app, '/people/:id/posts/deletion', postsRemoval, {
    ...door,
    refused: (request, reply, form) => showDeletePosts(request, reply, form, typedFields(request.body)),
    flash: (_request, outcome) => ({
      said: [{ key: 'removal.flash.removed', values: { count: outcome?.count ?? 0 } }],
    }),
  })
  openForm(app, '/people/:id/posts/restoration', postsRestoration, {
    ...door,
    flash: (_request, outcome) => ({
      said: [{ key: RESTORATION[outcome?.outcome ?? 'none'], values: { days: REMOVAL_DAYS } }],
    }),
  })
}

/** The page before all posts of an account in a course, or everywhere, are deleted. @throws Problem unless the viewer may do it */
export const showDeletePosts = page(
  'cases/delete-posts',
  { robots: 'noindex', isForStaff: true },
  async (context, form: FormState = freshForm(), sent: Sent = {}) => {
    const { t, db } = context
    const { subject, shown } = await actPage(context, 'posts/deletion', form, sent)
    return {
      ...shown,
      title: t('removal.title', { name: shown.name }),
      count: (await removablePosts(db, subject.place)).length,
      grounds: [{ value: '', text: t('removal.reason.none') }, ...groundsIn(t, form.typed.reason)],
      rules: await rulesIn(context, subject, form.typed.rule),
      head: { address: `${shown.action}?course=${shown.course}` },
    }
  },
)

/** The page before somebody is suspended in a course, or everywhere. @throws Problem unless the viewer may do it */
export const showSuspend = page(
  'cases/suspend',
  { robots: 'noindex', isForStaff: true },
  async (context, sentForm: FormState | null = null, sent: Sent = {}) => {
    const { t, db, now } = context
    const until = new Date(now.getTime() + Number(USUAL_LENGTH) * 86_400_000)
    const { subject, shown } = await actPage(
      context,
      'suspension',
      sentForm ?? freshForm({ ground: 'other', until: isoDay(until, 'UTC') }),
      sent,
    )
    const { name, form } = shown
    const timeZone = zoneIn(context, subject.course)
    // Someone else was faster.
    const there = await suspensionThere(db, subject.place)
    const again = (endsAt: Date | null) =>
      endsAt === null
        ? t('suspension.again.forGood', { name })
        : t('suspension.again.until', { name, until: writtenMoment(endsAt, timeZone, t).title })
    return {
      ...shown,
      title: t('suspension.title', { name }),
      grounds: groundsIn(t, form.typed.ground),
      rules: await rulesIn(context, subject, form.typed.rule),
      isForGood: form.typed.for_good === '1',
      conflict: there === undefined ? null : again(there.endsAt),
      head: { address: `${shown.action}?course=${shown.course}` },
    }
  },
)

const groundsIn = (t: Translate, chosen = '') =>
  REPORT_REASONS.map((value) => ({ value, text: t(`reports.reason.${value}`), selected: value === chosen }))

/** Fields of the form that the address has where it is opened. */
export interface Sent {
  readonly course?: string
  readonly back?: string
}

/** What pages of acts on a person in a course, or everywhere, have in common. @throws Problem unless the viewer may do it */
export async function actPage(context: PageContext, act: string, form: FormState, sent: Sent) {
  const personId = idParam(context, 'id')
  const course = sent.course ?? queryParam(context, 'course') ?? ''
  const subject = await findPersonPlace(context.db, { personId, course })
  requireRight(context.viewer, 'moderate', subject)
  mustBeAbove({ actor: context.person(), subject })
  const shown = {
    name: subject.name,
    action: `/people/${personId}/${act}`,
    course,
    // null: every course.
    courseTitle: subject.course?.title ?? null,
    back: localPath(sent.back ?? queryParam(context, 'back') ?? undefined, `/people/${personId}`),
    form,
  }
  return { subject, shown }
}

const rulesIn = async ({ t, db, lang }: PageContext, { place }: PersonPlace, chosen?: string) =>
  ruleGroups(t, await listRules(db, place.courseId, lang), chosen)

interface ProfileOf {
  readonly id: number
  readonly isAdmin: boolean
  readonly roles: readonly { id: number; slug: string; title: string; role: Role }[]
}

export type PersonActs = Awaited<ReturnType<typeof personActs>>

/**
 * The acts of staff about a person that a profile offers its viewer, where: views/cases/_person-acts.eta. What is in force is read for
 * those alone who may act on it. The act follows `path`; a suspension's `course` is empty, and its title null, for every course.
 */
export async function personActs(context: PageContext, { id, isAdmin, roles }: ProfileOf, timeZone: string) {
  const { t, db, viewer } = context
  const isEverywhere = viewer !== null && viewer.id !== id && may(viewer, 'moderate-forum')
  const about = { person_id: id, author_is_admin: isAdmin, is_for_admins: false }
  // A course by its slug, or every course, with an empty value and no text.
  const places: { readonly value: string; readonly text: string | null }[] = roles
    .filter((of) => mayHandle(viewer, { ...about, course_id: of.id, author_role: of.role }))
    .map(({ slug, title }) => ({ value: slug, text: title }))
  if (isEverywhere) places.push({ value: '', text: null })
  const inForce = places.length === 0 ? [] : await measuresInForce(db, id)
  const isThere = (kind: InForce['kind'], value: string) =>
    inForce.some((one) => one.kind === kind && (one.course ?? '') === value)
  const suspensions = inForce.filter(
    ({ kind, course }) =>
      kind === 'suspend' && (isEverywhere || course === null || places.some(({ value }) => value === course)),
  )
  return {
    reportPath: viewer?.id === id ? null : reportPath({ about: 'person', id }),
    openCasePath: isEverywhere ? reportPath({ about: 'person', id }, 'open-case') : null,
    path: `/people/${id}`,
    places,
    suspendIn: places.filter(({ value }) => !isThere('suspend', value)),
    liftIn: places.filter(({ value }) => isThere('suspend', value)),
    restoreIn: places.filter(({ value }) => isThere('delete', value)),
    suspensions: suspensions.map(({ course, title, endsAt, caseId, isForAdmins }) => ({
      ...{ course: course ?? '', title },
      until: endsAt && writtenMoment(endsAt, timeZone, t),
      case: isForAdmins && !isEverywhere ? null : { id: caseId, path: casePath(caseId) },
    })),
  }
}
