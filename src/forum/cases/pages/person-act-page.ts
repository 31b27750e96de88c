import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { REPORT_REASONS } from '../../../database/schema.ts'
import { Problem } from '../../../kernel/problem.ts'
import { requireRight } from '../../../kernel/require-right.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type FormState, freshForm, typedFields } from '../../../web/form.ts'
import { openForm } from '../../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../../web/language.ts'
import { idParam, queryParam } from '../../../web/params.ts'
import { backPath, localPath } from '../../../web/paths.ts'
import { measuresInForce, REMOVAL_DAYS } from '../../handling/in-force.ts'
import { listRules } from '../../policies/policy.ts'
import {
  findPersonPlace,
  mustBeAbove,
  type PersonPlace,
  postsRemoval,
  postsRestoration,
  suspension,
  suspensionEnd,
} from '../person-operations.ts'
import { countPostsOf } from '../subject.ts'
import { ruleGroups } from './decide-view.ts'

async function showDeletePosts(request: FastifyRequest, reply: FastifyReply, form: FormState = freshForm()) {
  const page = await deletePostsPage(request, form)
  return reply.page('cases/delete-posts', page, headOf(`${page.action}?course=${page.course}`, form))
}

/** The page before all posts of an account in a course, or everywhere, are deleted. @throws Problem unless the viewer may do it */
export async function deletePostsPage(request: FastifyRequest, form: FormState) {
  const { t, subject, page } = await pageOf(request, form, 'posts/deletion')
  const { db } = request.server
  const courseId = subject.course?.id ?? null
  const rules = await listRules(db, courseId, languageOfRequest(request))
  return {
    ...page,
    title: t('removal.title', { name: subject.name }),
    count: await countPostsOf(db, { personId: subject.personId, courseId }),
    reasons: REPORT_REASONS,
    rules: ruleGroups(t, rules, form.typed.rule),
  }
}

async function showSuspend(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const page = await suspendPage(request, form)
  const head = headOf(page.back, form)
  return reply.page('cases/suspend', page, page.conflict === null ? head : { ...head, status: 409 })
}

/** The form of a suspension again, with what is wrong with it. @throws Problem unless the viewer may do it */
export async function suspendPage(request: FastifyRequest, form: FormState) {
  const { t, subject, page } = await pageOf(request, form, 'suspension')
  const title = t('suspension.title', { name: subject.name })
  return { ...page, title, conflict: await conflictOf(request, t, subject) }
}

/** Says until when the person is suspended there already, as someone else was faster; null: they are not. */
async function conflictOf(
  { server, person }: FastifyRequest,
  t: Translate,
  { personId, name, course }: PersonPlace,
): Promise<string | null> {
  const inForce = await measuresInForce(server.db, personId)
  const suspension = inForce.find(
    ({ kind, courseId }) => kind === 'suspend' && courseId === (course?.id ?? null),
  )
  if (suspension === undefined) return null
  const { endsAt } = suspension
  if (endsAt === null) return t('suspension.again.forGood', { name })
  const timeZone = person?.timeZone ?? course?.timeZone ?? server.config.timeZone
  return t('suspension.again.until', { name, until: writtenMoment(endsAt, timeZone, t).title })
}

async function pageOf(request: FastifyRequest, form: FormState, act: string) {
  const personId = idParam(request, 'id')
  const sent = typedFields(request.body)
  const course = sent.course ?? queryParam(request, 'course') ?? ''
  const subject = await findPersonPlace(request.server.db, { personId, course })
  mustBeAllowed(request, subject)
  const page = {
    name: subject.name,
    action: `/people/${personId}/${act}`,
    course,
    // null: every course.
    courseTitle: subject.course?.title ?? null,
    back: localPath(sent.back ?? queryParam(request, 'back') ?? undefined, `/people/${personId}`),
    form,
  }
  return { t: translatorFor(request), subject, page }
}

function mustBeAllowed(request: FastifyRequest, subject: PersonPlace): void {
  requireRight(request.person, 'moderate', subject)
  mustBeAbove({ actor: request.requirePerson(), subject })
}

const headOf = (address: string, { errors }: FormState) =>
  ({ robots: 'noindex', isForStaff: true, address, status: errors.length > 0 ? 422 : 200 }) as const

const RESTORATION = {
  done: 'removal.flash.restored',
  none: 'removal.flash.none',
  late: 'removal.flash.late',
} as const

/** Acts of staff on a person: the forms are on the person's profile and, for admins, on the page of the account. */
export function registerPersonActs(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => ({
    personId: idParam(request, 'id'),
    course: typedFields(request.body).course ?? '',
  })
  const done = (_outcome: unknown, request: FastifyRequest) =>
    backPath(request, `/people/${idParam(request, 'id')}`)
  const formPage = (request: FastifyRequest) => `/people/${idParam(request, 'id')}`
  app.get('/people/:id/posts/deletion', async (request, reply) => showDeletePosts(request, reply))
  openForm(app, '/people/:id/suspension', suspension, {
    ...{ key, done, formPage, refused: showSuspend },
    flash: () => 'suspension.flash.begun',
    failed: (request, reply, error, form) =>
      error instanceof Problem && error.key === 'alreadySuspended' ? showSuspend(request, reply, form) : null,
  })
  openForm(app, '/people/:id/suspension/end', suspensionEnd, {
    ...{ key, done, formPage },
    flash: (_request, outcome) => (outcome?.ended === 0 ? 'suspension.flash.none' : 'suspension.flash.ended'),
  })
  openForm(app, '/people/:id/posts/deletion', postsRemoval, {
    ...{ key, done, formPage, refused: showDeletePosts },
    flash: (_request, outcome) => ({
      said: [{ key: 'removal.flash.removed', values: { count: outcome?.count ?? 0 } }],
    }),
  })
  openForm(app, '/people/:id/posts/restoration', postsRestoration, {
    ...{ key, done, formPage },
    flash: (_request, outcome) => ({
      said: [{ key: RESTORATION[outcome?.outcome ?? 'none'], values: { days: REMOVAL_DAYS } }],
    }),
  })
}
