import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import type { FormState } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idOf, writing } from '../../web/json/endpoint.ts'
import { idParam } from '../../web/params.ts'
import { backPath } from '../../web/paths.ts'
import { questionOf } from '../posts/find.ts'
import { KINDS, ofEachKind, POST_TABLES, type PostTable } from '../posts/kinds.ts'
import { type LockedPost, SUBJECTS } from '../posts/lock.ts'
import { releasePost } from '../posts/removal.ts'
import { decide } from './decision.ts'
import { showRejection } from './pages/rejection-page.ts'
import { ground, mustHaveReason, note, rule } from './reasons.ts'
import { deleteAsCase, lockOpenCase } from './report.ts'
import { subjectName } from './subject.ts'

/** The operations that let a held post through, and that reject it, for each kind. */
export const HELD = ofEachKind(heldOperations)

function heldOperations(table: PostTable) {
  const { kind } = KINDS[table]
  const find = SUBJECTS[table]

  /**
   * It is shown, dated now and told as if it were just posted; reports of it are decided: nothing is done about it. What isn't held stays as
   * it is.
   */
  const release = operation({
    name: `release-${kind}`,
    right: 'release',
    find,
    events: ['post-released'],
    async run({ write, actor, subject, note: log }) {
      const { id, authorId } = subject
      const actorId = personOf(actor).id
      const sentAt = await heldSince(write, { table, id })
      if (sentAt === null) return { ...released(subject), isDone: false }
      const open = await lockOpenCase(write, subjectName({ about: kind, id }))
      if (open !== undefined)
        await decide(write, actorId, open.id, { version: open.version, isUpheld: false, measures: [] })
      else await releasePost(write, { table, id }, actorId)
      log('post-released', { kind, id, authorId, sentAt })
      return { ...released(subject), isDone: true }
    },
  })

  /** Deletes it, as a decided case with its reason. What isn't held stays as it is. */
  const rejection = operation({
    name: `reject-${kind}`,
    right: 'release',
    find,
    once: true,
    input: { ground: ground(), rule: rule(), note: note() },
    events: ['moderated'],
    async run({ write, actor, subject, input: { ground: reason, ...said }, note: log }) {
      const { id, authorId, courseId } = subject
      if ((await heldSince(write, { table, id })) === null) return { ...released(subject), isDone: false }
      const why = { reason: reason ?? 'other', ...said } as const
      await mustHaveReason(write, courseId, why)
      const caseId = await deleteAsCase(write, personOf(actor).id, { about: kind, id }, why)
      log('moderated', { act: 'reject', caseId, authorId, courseId })
      return { ...released(subject), isDone: true }
    },
  })
  return { release, rejection }
}

const released = (subject: LockedPost) => ({ id: subject.id, question: questionOf(subject) })

/** When a post that is held was sent, in milliseconds; null: it isn't held, or not any more. */
async function heldSince(write: Write, { table, id }: { readonly table: PostTable; readonly id: number }) {
  const held = await write
    .selectFrom(table)
    .select(sql<number>`(extract(epoch from written_at) * 1000)::bigint`.as('sentAt'))
    .where('id', '=', id)
    .where('held_at', 'is not', null)
    .executeTakeFirst()
  return held?.sentAt ?? null
}

export function registerHeld(app: FastifyInstance): void {
  for (const table of POST_TABLES) {
    const key = (request: FastifyRequest) => idParam(request, 'id')
    const again = (request: FastifyRequest, reply: FastifyReply, form?: FormState) =>
      showRejection(request, reply, { about: KINDS[table].kind, id: key(request) }, form, request.body)
    const done = (at: ReturnType<typeof released>, request: FastifyRequest) =>
      backPath(request, KINDS[table].path(at.question, at.id))
    openForm(app, `/${table}/:id/release`, HELD[table].release, {
      key,
      done,
      flash: (_request, outcome) => `held.flash.${outcome?.isDone === false ? 'notHeld' : 'released'}`,
    })
    app.get(`/${table}/:id/rejection`, (request, reply) => again(request, reply))
    openForm(app, `/${table}/:id/rejection`, HELD[table].rejection, {
      key,
      formPage: (request) => `/${table}/${key(request)}/rejection`,
      keeps: true,
      done,
      flash: (_request, outcome) => `held.flash.${outcome?.isDone === false ? 'notHeld' : 'rejected'}`,
      refused: again,
    })
  }
}

export const releaseEndpoints = POST_TABLES.map((table) =>
  writing({
    ...{ method: 'PUT', path: `/${table}/:id/release`, tag: 'cases', isForStaff: true },
    name: `putRelease${{ questions: 'Question', answers: 'Answer', replies: 'Reply' }[table]}`,
    operation: HELD[table].release,
    key: idOf,
  }),
)
