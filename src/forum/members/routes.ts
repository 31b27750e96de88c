import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { TABLE_FILE_BYTES } from '../../limits/table.ts'
import { notFound } from '../../operations/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import { registerMultipart } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { membersPath } from '../../web/paths.ts'
import { tableFields } from '../../web/table-field.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { LastInstructor } from '../courses/roles.ts'
import { type Added, addMembers, type Meant } from './add-members.ts'
import { changeRole, dropWaiting, removePerson } from './commands.ts'
import { listForm, meantForm, memberForm, roleForm, waitingForm } from './form.ts'
import type { Invitation } from './invitation-mail.ts'
import { registerInvitations } from './invitation-pages.ts'
import { readMemberList } from './long-list.ts'
import { MAX_LINES } from './member-lines.ts'
import { membersCsv } from './members-csv.ts'
import { showMembers } from './members-page.ts'
import { registerSelections } from './selection-pages.ts'

/** A list of 20,000 addresses, encoded. */
const LIST_BYTES = 2 * 1024 * 1024
/** Characters of a bad line, beside why it is one. */
const SHOWN_LENGTH = 120

const formPage = (request: FastifyRequest) => membersPath(textParam(request, 'course'))

/** The people of a course: its staff see them, its instructors change them. @param secret of the forum */
export function registerMembers(app: FastifyInstance, secret: SecretKeys): void {
  const path = '/courses/:course/members'
  const config = { limit: 'posting', needsPerson: true, formPage } as const
  registerInvitations(app, secret)
  registerSelections(app, secret)

  app.get(path, async (request, reply) => {
    const course = await courseFor(request, 'see-members')
    const kept = await findKeptForm(request)
    return showMembers(
      request,
      reply,
      secret,
      course,
      kept === null ? {} : { form: restoredForm(request, kept), listForm: restoredForm(request, kept) },
    )
  })

  const keeps = [...memberForm.names, ...listForm.names, ...meantForm.names]
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES, text: LIST_BYTES })
    scope.post(path, { bodyLimit: LIST_BYTES, config: { ...config, keeps } }, async (request, reply) => {
      const course = await courseFor(request, 'change-members')
      const { body, refused } = tableFields(request, 'list')
      if (refused !== null)
        return showMembers(request, reply, secret, course, { status: 422, listForm: refused })
      const many = listForm.parse(body)
      const isEmpty = (many.typed.list ?? '').trim() === ''
      const fields = typedFields(body)
      const isOne = isEmpty && ('email' in fields || !('list' in fields))
      return isOne ? addOne(request, reply, course) : addMany(request, reply, course, many)
    })
  })

  async function addOne(request: FastifyRequest, reply: FastifyReply, course: Course) {
    const one = memberForm.parse(request.body)
    if (!one.ok) return showMembers(request, reply, secret, course, { status: 422, form: one })
    const line = { number: 1, text: one.values.email, ...one.values }
    const meant = meantOf(request, 'raises')
    const added = await addMembers(app.db, course.id, [line], invitationOf(request, course), meant)
    noteAdded(request, course.id, added)
    const [bad] = added.bad
    if (added.changes.length > 0) return showMembers(request, reply, secret, course, { report: added })
    if (bad === undefined) {
      const mailed = app.config.smtpUrl === null ? 'mailKept' : 'mailed'
      const waits = added.mailed > 0 ? mailed : 'waiting'
      return reply
        .flash(`members.flash.${added.waiting > 0 ? waits : 'added'}`)
        .redirect(membersPath(course.slug), 303)
    }
    const refused = refuse(one, 'role', bad.reason.key)
    return showMembers(request, reply, secret, course, { status: 422, form: refused })
  }

  async function addMany(request: FastifyRequest, reply: FastifyReply, course: Course, form: FormState) {
    const { list = '' } = form.typed
    const refusal = refusalOf(form, list)
    if (refusal !== null)
      return showMembers(request, reply, secret, course, { status: 422, listForm: refusal })
    const { good, bad, head } = await readMemberList(list)
    const meant = meantOf(request, 'none')
    const added = await addMembers(app.db, course.id, good, invitationOf(request, course), meant)
    noteAdded(request, course.id, added)
    const report = { ...added, bad: [...bad, ...added.bad].sort((line, other) => line.number - other.number) }
    // What could not be taken stays to be mended; what is done need not be sent again.
    const { mail = '' } = typedFields(request.body)
    const again = report.bad.map(({ text }) => text)
    const left = freshForm({
      list: [...(head !== null && bad.length > 0 ? [head] : []), ...again].join('\n'),
      mail,
    })
    const status = report.bad.length > 0 ? 422 : 200
    const shown = { ...report, bad: report.bad.map((line) => ({ ...line, text: shortened(line.text) })) }
    return showMembers(request, reply, secret, course, { status, listForm: left, report: shown })
  }

  app.post(`${path}/:person/role`, { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const personId = idParam(request, 'person')
    const form = roleForm.parse(request.body)
    if (!form.ok) return showMembers(request, reply, secret, course, { status: 422 })
    const change = await unlessLast(changeRole(app.db, course.id, personId, form.values.role))
    if (change === 'last')
      return showMembers(request, reply, secret, course, { status: 422, lastInstructor: personId })
    if (change === 'absent') throw notFound()
    noteEvent(request, 'member-role-changed', {
      courseId: course.id,
      memberId: personId,
      role: form.values.role,
      isWaiting: change === 'waiting',
    })
    if (change === 'waiting')
      return reply.flash('members.flash.waiting').redirect(membersPath(course.slug), 303)
    const former = change.former === form.values.role ? undefined : change.former
    const undoPath =
      former === undefined
        ? undefined
        : `${membersPath(course.slug)}/${personId}/role/${form.values.role}/undo/${former}`
    // The choice of roles that was used gets the focus.
    const path = `${membersPath(course.slug)}#role-${personId}`
    return reply.flash('members.flash.role', undoPath).redirect(path, 303)
  })

  // Undone only while the role is still the one that was given.
  app.post(`${path}/:person/role/:given/undo/:former`, { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const memberId = idParam(request, 'person')
    const [given, former] = [textParam(request, 'given'), textParam(request, 'former')].map((role) =>
      roleForm.parse({ role }),
    )
    if (given?.ok !== true || former?.ok !== true) throw notFound()
    const { role } = former.values
    const change = await unlessLast(changeRole(app.db, course.id, memberId, role, given.values.role))
    if (change === 'last')
      return showMembers(request, reply, secret, course, { status: 422, lastInstructor: memberId })
    const isUndone = change !== 'absent' && change !== 'waiting'
    if (isUndone)
      noteEvent(request, 'member-role-changed', { courseId: course.id, memberId, role, isWaiting: false })
    return reply
      .flash(`members.flash.${isUndone ? 'undone' : 'late'}`)
      .redirect(membersPath(course.slug), 303)
  })

  app.get('/courses/:course/members.csv', async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    return reply
      .type('text/csv; charset=utf-8')
      .header(
        'content-disposition',
        `attachment; filename*=UTF-8''${encodeURIComponent(course.slug)}-members.csv`,
      )
      .header('cache-control', 'private, no-store')
      .send(await membersCsv(app.db, course.id))
  })

  app.post(`${path}/:person/removal`, { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const memberId = idParam(request, 'person')
    const role = await unlessLast(removePerson(app.db, course.id, memberId))
    if (role === 'last')
      return showMembers(request, reply, secret, course, { status: 422, lastInstructor: memberId })
    if (role === null) throw notFound()
    noteEvent(request, 'member-removed', { courseId: course.id, memberId, role })
    return reply.flash('members.flash.removed').redirect(membersPath(course.slug), 303)
  })

  app.post('/courses/:course/waiting/removal', { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const form = waitingForm.parse(request.body)
    if (form.ok && (await dropWaiting(app.db, course.id, form.values.email)))
      noteEvent(request, 'waiting-role-removed', { courseId: course.id })
    return reply.flash('members.flash.removed').redirect(`${membersPath(course.slug)}?show=invited`, 303)
  })
}

/** Which changes of roles a form means: all once they were shown. */
function meantOf(request: FastifyRequest, otherwise: Meant): Meant {
  const form = meantForm.parse(request.body)
  return form.ok && form.values.change === '1' ? 'all' : otherwise
}

/** null: nobody is told. */
function invitationOf(request: FastifyRequest, course: Course): Invitation | null {
  const form = meantForm.parse(request.body)
  if (!form.ok || form.values.mail === null) return null
  return { course, baseUrl: request.server.config.baseUrl, sender: request.requirePerson() }
}

function refusalOf(form: FormState, list: string): FormState | null {
  if (list.trim() === '') return refuse(form, 'list', 'members.list.empty')
  // UTF-16 that was taken for UTF-8.
  if (list.includes('\0') || !list.isWellFormed()) return refuse(freshForm(), 'list', 'members.list.encoding')
  const lines = list.split(/\r\n|\n|\r/).length
  return lines > MAX_LINES ? refuse(form, 'list', 'members.list.many', { max: MAX_LINES }) : null
}

function shortened(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`
}

function noteAdded(request: FastifyRequest, courseId: number, { given, waiting, mailed, bad }: Added): void {
  noteEvent(request, 'members-added', { courseId, given, waiting, mailed, bad: bad.length })
}

async function unlessLast<Result>(work: Promise<Result>): Promise<Result | 'last'> {
  try {
    return await work
  } catch (error) {
    if (error instanceof LastInstructor) return 'last'
    throw error
  }
}
