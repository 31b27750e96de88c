import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { TABLE_FILE_BYTES } from '../../kernel/limits.ts'
import { notFound } from '../../kernel/problem.ts'
import { type FormState, freshForm, sentFields, typedFields, typedIn } from '../../web/form.ts'
import { formOf, openForm, openForms } from '../../web/forms/door.ts'
import { registerMultipart, tableFields } from '../../web/multipart.ts'
import { idParam, textParam } from '../../web/params.ts'
import { membersPath } from '../../web/paths.ts'
import { takeSelections } from '../../web/transport/body.ts'
import { courseFor } from '../courses/find-course.ts'
import { LastInstructor } from '../courses/roles.ts'
import { countsOf } from './add-members.ts'
import { askedRolesDismissal, askedRolesGiving } from './asked-roles.ts'
import { registerInvitations } from './invitation-pages.ts'
import { type BadLine, readMemberList } from './member-lines.ts'
import { showMembers } from './members-page.ts'
import { memberAdding, membersAdding } from './operations.ts'
import { membersCsv } from './queries.ts'
import { memberRolesChange, memberRolesUndo, membersRemoval, waitingRolesRemoval } from './selection.ts'
import { registerSelections } from './selection-pages.ts'

/** A list of 20,000 addresses, encoded. */
const LIST_BYTES = 2 * 1024 * 1024
/** Characters of a bad line, beside why it is one. */
const SHOWN_LENGTH = 120

const slugIn = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => membersPath(slugIn(request))

/** The people of a course: its staff see them, its instructors change them. */
export function registerMembers(app: FastifyInstance): void {
  registerInvitations(app)
  registerSelections(app)
  registerAdding(app)
  registerAskedRoles(app)
  registerOneMember(app)

  app.get('/courses/:course/members', async (request, reply) => {
    const kept = await findKeptForm(request)
    const form = kept === null ? undefined : restoredForm(request, kept)
    return showMembers(request, reply, form && { form, listForm: form })
  })
  app.get('/courses/:course/members.csv', async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const name = encodeURIComponent(`${course.slug}-members.csv`)
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .header('cache-control', 'private, no-store')
      .send(await membersCsv(app.db, course.id))
  })
}

function registerAdding(app: FastifyInstance): void {
  const shared = { key: slugIn, formPage, keeps: true } as const
  const one = formOf(memberAdding, {
    ...shared,
    done: ({ slug }) => membersPath(slug),
    shown: (request, reply, { added }) =>
      added.changes.length > 0 ? showMembers(request, reply, { report: added }) : null,
    flash(request, done) {
      const isSame = done?.added.unchanged === 1 && done.added.mailed === 0
      const mailed = app.config.smtpUrl === null ? 'mailKept' : 'mailed'
      const waits = (done?.added.mailed ?? 0) > 0 ? mailed : 'addedWaiting'
      const added = (done?.added.waiting ?? 0) > 0 ? waits : 'added'
      const key = `members.flash.${isSame ? 'already' : added}`
      return { said: [{ key, values: { address: typedFields(request.body).email ?? '' } }] }
    },
    refused: (request, reply, form) => showMembers(request, reply, { form }),
  })
  const many = formOf(membersAdding, {
    ...shared,
    async instead(request, reply) {
      const { refused } = tableFields(request, 'list')
      if (refused === null) return null
      await courseFor(request, 'change-members')
      return showMembers(request, reply.code(422), { listForm: refused })
    },
    input: (request) => sentFields(tableFields(request, 'list').body),
    done: ({ slug }) => membersPath(slug),
    shown(request, reply, { added, isTable }) {
      // Lines that were refused stay in the form to be corrected; the others are done.
      const { mail = '', column = '' } = typedFields(request.body)
      const list = linesAgain(added.bad)
      const table = isTable && list !== '' ? '1' : ''
      const bad = added.bad.map((line) => ({ ...line, text: shortened(line.text) }))
      const listForm = freshForm({ list, mail, table, column: table === '' ? '' : column })
      return showMembers(request, reply.code(bad.length > 0 ? 422 : 200), {
        listForm,
        report: { ...added, bad },
      })
    },
    async refused(request, reply, { errors }) {
      const isText = errors.every(({ message }) => message.key !== 'members.list.encoding')
      const fields = ['list', 'mail', 'table', 'column']
      const typed = isText ? typedIn(tableFields(request, 'list').body, fields) : {}
      const isAsked = errors.some(({ field }) => field === 'column')
      const { list = '', table } = typed
      const read = isAsked ? await readMemberList({ list, isTable: table === '1', column: null }) : null
      const columns = read !== null && 'columns' in read ? read.columns : []
      return showMembers(request, reply, { listForm: { typed, errors }, columns })
    },
  })
  app.register(async (scope) => {
    await registerMultipart(scope, { file: TABLE_FILE_BYTES, text: LIST_BYTES })
    scope.addHook('onRoute', (route) => {
      route.bodyLimit = LIST_BYTES
    })
    openForms(scope, '/courses/:course/members', [one, many], (request) => {
      const { body, refused } = tableFields(request, 'list')
      const fields = typedFields(body)
      const isEmpty = refused === null && (fields.list ?? '').trim() === ''
      return isEmpty && ('email' in fields || !('list' in fields)) ? one : many
    })
  })
}

function registerAskedRoles(app: FastifyInstance): void {
  const shared = {
    key: slugIn,
    formPage,
    done: ({ slug }: { readonly slug: string }) => `${membersPath(slug)}?show=invited`,
    refused: (request: FastifyRequest, reply: FastifyReply, { errors }: FormState) =>
      showMembers(request, reply, { askedError: errors[0]?.message.key ?? 'forms.choice' }),
  }
  const giving = formOf(askedRolesGiving, {
    ...shared,
    flash: (_, done) => (done === null ? 'members.flash.roles' : { said: countsOf(done.added) }),
  })
  const dismissal = formOf(askedRolesDismissal, { ...shared, flash: () => 'members.flash.dismissed' })
  app.register(async (scope) => {
    takeSelections(scope)
    openForms(scope, '/courses/:course/members/roles', [giving, dismissal], ({ body }) =>
      typedFields(body).act === 'dismissal' ? dismissal : giving,
    )
  })
}

function registerOneMember(app: FastifyInstance): void {
  const path = '/courses/:course/members/:person'
  const person = (request: FastifyRequest) => idParam(request, 'person')
  const shared = {
    key: slugIn,
    formPage,
    failed: (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
      error instanceof LastInstructor
        ? showMembers(request, reply.code(422), { lastInstructor: person(request) })
        : null,
  }
  openForm(app, `${path}/role`, memberRolesChange, {
    ...shared,
    input: (request) => ({ role: sentFields(request.body).role, person: String(person(request)) }),
    done({ slug, found, waiting }, request) {
      if (found + waiting === 0) throw notFound()
      // The choice of roles that was used gets the focus.
      return `${membersPath(slug)}${waiting > 0 ? '' : `#role-${person(request)}`}`
    },
    flash: (request, done) => {
      const [changed] = done?.changed ?? []
      const path = `${formPage(request)}/${person(request)}/role/${changed?.role}/undo/${changed?.former}`
      const said = done?.waiting === 0 ? 'members.flash.role' : 'members.flash.waiting'
      return { said, act: changed === undefined ? undefined : path }
    },
    refused: (request, reply) => showMembers(request, reply),
  })
  // Undone only while the role is still the one that was given.
  openForm(app, `${path}/role/:given/undo/:former`, memberRolesUndo, {
    ...shared,
    input: (request) => ({
      given: textParam(request, 'given'),
      former: `${textParam(request, 'former')}.${person(request)}`,
    }),
    done: ({ slug }) => membersPath(slug),
    flash: (_, done) => `members.flash.${done?.isAll === true ? 'undone' : 'late'}`,
    refused: async () => {
      throw notFound()
    },
  })
  openForm(app, `${path}/removal`, membersRemoval, {
    ...shared,
    input: (request) => ({ person: String(person(request)) }),
    done({ slug, found }) {
      if (found === 0) throw notFound()
      return membersPath(slug)
    },
    flash: () => 'members.flash.removed',
  })
  openForm(app, '/courses/:course/waiting/removal', waitingRolesRemoval, {
    key: slugIn,
    formPage,
    done: ({ slug }) => `${membersPath(slug)}?show=invited`,
    flash: () => 'members.flash.removed',
  })
}

/** Lines as they are read again: below what names their columns. */
function linesAgain(bad: readonly BadLine[]): string {
  let above: string | null = null
  const lines = bad.flatMap(({ head, text }, index) => {
    if (head === above || head === null) return [text]
    above = head
    return index === 0 ? [head, text] : ['', head, text]
  })
  return lines.join('\n')
}

function shortened(text: string): string {
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`
}
