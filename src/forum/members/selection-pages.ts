import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import type { Role } from '../../database/schema.ts'
import { forbidden } from '../../operations/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { takeSelections } from '../../web/body.ts'
import { textParam } from '../../web/params.ts'
import { membersPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { LastInstructor } from '../courses/roles.ts'
import { selectedAddresses, selectedMembers, selectionForm } from './form.ts'
import { showMembers } from './members-page.ts'
import { membersAmong, waitingAmong } from './queries.ts'
import { changeRoles, RightLost, removePeople } from './selection.ts'
import { noteRoles, registerUndoOfRoles, undoPath } from './selection-undo.ts'
import { listPath, type Removing } from './selection-view.ts'
import { changeWaitingRoles, dropWaitingOf, inviteWaiting } from './waiting-selection.ts'

/** What is done with a selection: its own words for members and for addresses. */
interface Acts {
  /** As the form sends them. */
  readonly values: readonly string[]
  changeRole(role: Role): Promise<Done>
  /** Who would be removed, to be asked about. */
  removing(): Promise<Removing>
  remove(): Promise<Done>
  /** null: these can't be invited. */
  readonly invite: (() => Promise<Done>) | null
}

/** A flash message, and where the act is undone. */
interface Done {
  readonly flash: string
  readonly undoPath?: string
}

/** Acts on the selected rows of a list of members. @param secret of the forum */
export function registerSelections(app: FastifyInstance, secret: SecretKeys): void {
  const formPage = (request: FastifyRequest) => membersPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage } as const

  app.register(async (scope) => {
    takeSelections(scope)
    scope.post('/courses/:course/members/selection', { config }, async (request, reply) => {
      const course = await courseFor(request, 'change-members')
      const form = selectedMembers.parse(request.body)
      return act(request, reply, course, membersActs(request, course, form.ok ? form.values.person : []))
    })
    scope.post('/courses/:course/waiting/selection', { config }, async (request, reply) => {
      const course = await courseFor(request, 'change-members')
      const form = selectedAddresses.parse(request.body)
      return act(request, reply, course, waitingActs(request, course, form.ok ? form.values.email : []))
    })
  })

  registerUndoOfRoles(app, config)

  async function act(request: FastifyRequest, reply: FastifyReply, course: Course, acts: Acts) {
    const form = selectionForm.parse(request.body)
    const selected = { values: new Set(acts.values), role: form.typed.role ?? '' }
    const refused = (error: string) =>
      showMembers(request, reply, secret, course, { status: 422, selected: { ...selected, error } })
    if (!form.ok) return refused('forms.choice')
    if (acts.values.length === 0) return refused('members.selection.none')
    const { act: name, role, sure } = form.values
    if (name === 'role' && role === null) return refused('members.selection.noRole')
    if (name === 'invitation' && acts.invite === null) return refused('forms.choice')
    if (name === 'removal' && sure === null) {
      const removing = await acts.removing()
      return showMembers(request, reply, secret, course, { selected: { ...selected, removing } })
    }
    try {
      const done = await doIt(acts, name, role)
      return reply.flash(done.flash, done.undoPath).redirect(listPath(request, course.slug), 303)
    } catch (error) {
      if (error instanceof LastInstructor) return refused('members.lastInstructor')
      if (error instanceof RightLost) throw forbidden()
      throw error
    }
  }
}

function doIt(acts: Acts, name: 'role' | 'removal' | 'invitation', role: Role | null): Promise<Done> {
  if (name === 'role' && role !== null) return acts.changeRole(role)
  return name === 'invitation' && acts.invite !== null ? acts.invite() : acts.remove()
}

function membersActs(request: FastifyRequest, course: Course, ids: readonly number[]): Acts {
  const { db } = request.server
  const selecting = { courseId: course.id, actorId: request.requirePerson().id }
  return {
    values: ids.map(String),
    async changeRole(role) {
      const { changed, waiting } = await changeRoles(db, selecting, new Map(ids.map((id) => [id, role])))
      noteRoles(request, course, changed, false)
      noteRoles(request, course, waiting, true)
      const flash = `members.flash.${waiting.length === 0 ? 'roles' : 'rolesWaiting'}`
      return changed.length === 0 ? { flash } : { flash, undoPath: undoPath(course, role, changed) }
    },
    async removing() {
      const members = await membersAmong(db, course.id, ids)
      return {
        names: members.map(({ displayName }) => displayName),
        field: 'person',
        values: members.map(({ id }) => String(id)),
      }
    },
    async remove() {
      const removed = await removePeople(db, selecting, ids)
      for (const { id, role } of removed)
        noteEvent(request, 'member-removed', { courseId: course.id, memberId: id, role })
      return { flash: 'members.flash.removed' }
    },
    invite: null,
  }
}

function waitingActs(request: FastifyRequest, course: Course, emails: readonly string[]): Acts {
  const { db, config } = request.server
  const sender = request.requirePerson()
  const selecting = { courseId: course.id, actorId: sender.id }
  return {
    values: emails,
    async changeRole(role) {
      const count = await changeWaitingRoles(db, selecting, emails, role)
      for (let at = 0; at < count; at += 1)
        noteEvent(request, 'waiting-role-changed', { courseId: course.id, role })
      return { flash: 'members.flash.waitingRoles' }
    },
    async removing() {
      const names = await waitingAmong(db, course.id, emails)
      return { names, field: 'email', values: names }
    },
    async remove() {
      const count = await dropWaitingOf(db, selecting, emails)
      for (let at = 0; at < count; at += 1)
        noteEvent(request, 'waiting-role-removed', { courseId: course.id })
      return { flash: 'members.flash.removed' }
    },
    async invite() {
      const invitation = { course, baseUrl: config.baseUrl, sender }
      const { asked, mailed } = await inviteWaiting(db, selecting, emails, invitation)
      noteEvent(request, 'invitations-mailed', { courseId: course.id, asked, mailed })
      if (mailed === 0) return { flash: 'members.flash.invitedNone' }
      if (config.smtpUrl === null) return { flash: 'members.flash.invitedKept' }
      return { flash: `members.flash.${mailed === asked ? 'invited' : 'invitedSome'}` }
    },
  }
}
