import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { type FormState, freshForm, sentFields, typedFields } from '../../web/form.ts'
import { formOf, type OperationForm, openForm, openForms } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { membersPath } from '../../web/paths.ts'
import { takeSelections } from '../../web/transport/body.ts'
import { courseFor } from '../courses/find-course.ts'
import { LastInstructor } from '../courses/roles.ts'
import { selectedAddresses, selectedMembers } from './form.ts'
import { listPath, type Removing, showMembers } from './members-page.ts'
import { membersAmong, waitingAmong } from './queries.ts'
import {
  memberRolesChange,
  memberRolesUndo,
  membersRemoval,
  waitingInvitation,
  waitingRolesChange,
  waitingRolesRemoval,
} from './selection.ts'

const key = (request: FastifyRequest) => textParam(request, 'course')
const formPage = (request: FastifyRequest) => membersPath(key(request))

export function registerSelections(app: FastifyInstance): void {
  app.register(async (scope) => {
    takeSelections(scope)
    const members = doorFor('person')
    openFor(scope, '/courses/:course/members/selection', members, {
      role: formOf(memberRolesChange, {
        ...members,
        flash: (_, done) => ({
          said: `members.flash.${done?.waiting === 0 ? 'roles' : 'rolesWaiting'}`,
          act:
            done === null || done.changed.length === 0
              ? undefined
              : undoPath(done.slug, done.role, done.changed),
        }),
      }),
      removal: formOf(membersRemoval, {
        ...members,
        instead: asking('person', (courseId, rows) => membersAmong(app.db, courseId, rows.map(Number))),
        flash: () => 'members.flash.removed',
      }),
    })
    const waiting = doorFor('email')
    openFor(scope, '/courses/:course/waiting/selection', waiting, {
      role: formOf(waitingRolesChange, { ...waiting, flash: () => 'members.flash.waitingRoles' }),
      removal: formOf(waitingRolesRemoval, {
        ...waiting,
        instead: asking('email', (courseId, rows) => waitingAmong(app.db, courseId, rows)),
        flash: () => 'members.flash.removed',
      }),
      invitation: formOf(waitingInvitation, {
        ...waiting,
        flash(_, done) {
          if (done?.mailed === 0) return 'members.flash.invitedNone'
          if (app.config.smtpUrl === null) return 'members.flash.invitedKept'
          return `members.flash.${done?.mailed === done?.asked ? 'invited' : 'invitedSome'}`
        },
      }),
    })
  })
  openForm(app, '/courses/:course/members/selection/role/:given/undo/:former', memberRolesUndo, {
    key,
    formPage,
    input: (request) => ({ given: textParam(request, 'given'), former: textParam(request, 'former') }),
    done: ({ slug }) => membersPath(slug),
    flash: (_, done) =>
      `members.flash.${done?.isAll === true ? 'undone' : done?.isSome === true ? 'someLate' : 'late'}`,
    refused: async () => {
      throw notFound()
    },
    failed: (request, reply, error) => (error instanceof LastInstructor ? late(request, reply) : null),
  })
}

async function late(request: FastifyRequest, reply: FastifyReply) {
  return reply.flash('members.flash.late').redirect(formPage(request), 303)
}

function openFor(
  scope: FastifyInstance,
  path: string,
  { refused }: ReturnType<typeof doorFor>,
  acts: Record<string, OperationForm>,
): void {
  const [first, ...others] = Object.values(acts)
  if (first === undefined) return
  const unknown = {
    ...first,
    async handle(request: FastifyRequest, reply: FastifyReply) {
      await courseFor(request, 'change-members')
      return refused(request, reply, freshForm())
    },
  }
  openForms(scope, path, [first, ...others], ({ body }) => {
    const { act = '' } = typedFields(body)
    return (Object.hasOwn(acts, act) ? acts[act] : undefined) ?? unknown
  })
}

function doorFor(field: Removing['field']) {
  const again = (request: FastifyRequest, reply: FastifyReply, error: string) =>
    showMembers(request, reply.code(422), { selected: { ...selectedIn(request, field), error } })
  return {
    key,
    formPage,
    done: ({ slug }: { readonly slug: string }, request: FastifyRequest) => listPath(request, slug),
    refused: (request: FastifyRequest, reply: FastifyReply, { errors }: FormState) =>
      again(request, reply, errors[0]?.message.key ?? 'forms.choice'),
    failed: (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
      error instanceof LastInstructor ? again(request, reply, 'members.lastInstructor') : null,
  }
}

function selectedIn({ body }: FastifyRequest, field: Removing['field']) {
  const sent = sentFields(body)[field] ?? ''
  const rows = field === 'person' ? selectedMembers.safeParse(sent) : selectedAddresses.safeParse(sent)
  return { values: new Set(rows.data?.map(String)), role: typedFields(body).role ?? '' }
}

/** Asks who is removed before they are, with their names. */
function asking(
  field: Removing['field'],
  find: (courseId: number, rows: readonly string[]) => Promise<Removing['rows']>,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const selected = selectedIn(request, field)
    if (typedFields(request.body).sure === '1' || selected.values.size === 0) return null
    const { id } = await courseFor(request, 'change-members')
    const removing = { field, rows: await find(id, [...selected.values]) }
    return showMembers(request, reply, { selected: { ...selected, removing } })
  }
}

/** Names who had which role, so that nothing is kept for it: it does what the form can do, while they have the role given. */
function undoPath(slug: string, role: Role, changed: readonly { id: number; former: Role }[]) {
  const had = Map.groupBy(changed, ({ former }) => former)
  const former = [...had].map(([role, people]) => `${role}.${people.map(({ id }) => id).join('.')}`).join('-')
  return `${membersPath(slug)}/selection/role/${role}/undo/${former}`
}
