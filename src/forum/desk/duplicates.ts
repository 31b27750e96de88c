import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { reference } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idOf, writing } from '../../web/json/endpoint.ts'
import { idParam } from '../../web/params.ts'
import { backPath, questionPath } from '../../web/paths.ts'
import { questionOf } from '../posts/find.ts'
import { lockQuestion, question } from '../posts/lock.ts'
import { showRefused } from '../posts/mark-form.ts'

/**
 * Says that another question of the course answers this one: `of` is its id or address. Empty: it is none after all, which the asker
 * may say as well.
 */
export const questionDuplicate = operation({
  name: 'link-duplicate',
  right: 'unlink',
  find: (write: Write, { id, of }: { readonly id: number; readonly of: string }) => linkable(write, id, of),
  limit: 'voting',
  input: { of: reference },
  events: ['staff-decided'],
  async run({ write, actor, subject, input, note }) {
    const person = personOf(actor)
    const of = input.of.trim()
    if (of !== '') requireRight(person, 'assign', subject)
    const link = { questionId: subject.id, actorId: person.id }
    if (of === '') await setDuplicate(write, { ...link, originalId: null })
    else await linkTyped(write, { ...link, typed: of, field: 'of' })
    note('staff-decided', { act: of === '' ? 'unlink' : 'link', questionId: subject.id })
    return { subject, isLinked: of !== '' }
  },
})

/** A question, locked after the one whose id or address somebody typed: what another one shall lead to is locked before it. */
export async function linkable(write: Write, id: number, typed: string) {
  const originalId = questionIdIn(typed)
  if (originalId !== null) await lockOriginal(write, id, originalId)
  return question(write, id)
}

/** Links a question to the one whose id or address somebody typed. @throws Refused of `field` */
export async function linkTyped(
  write: Write,
  link: { questionId: number; typed: string; actorId: number; field: string },
): Promise<void> {
  const originalId = questionIdIn(link.typed)
  const refused = originalId === null ? 'unknown' : await setDuplicate(write, { ...link, originalId })
  if (refused !== null) throw refusal(link.field, `desk.duplicate.${refused}`)
}

const ADDRESS = '/questions/:id/duplicate'

export function registerDuplicates(app: FastifyInstance): void {
  openForm(app, ADDRESS, questionDuplicate, {
    key: (request) => ({ id: idParam(request, 'id'), of: typedFields(request.body).of ?? '' }),
    formPage: (request) => `/questions/${idParam(request, 'id')}`,
    done: ({ subject }, request) => backPath(request, questionPath(questionOf(subject))),
    flash: (_, outcome) => (outcome?.isLinked === true ? 'desk.flash.linked' : 'desk.flash.unlinked'),
    refused: (request, reply, form) =>
      showRefused(request, reply, form, ADDRESS, { name: 'of', type: 'text' }, backPath(request, '')),
  })
}

const linking = { path: ADDRESS, tag: 'desk', operation: questionDuplicate, isForStaff: true } as const
/** The id or address of a question, as a program sends it; '': it sends none. */
export const sentId = (sent: unknown) =>
  typeof sent === 'string' || typeof sent === 'number' ? String(sent) : ''

export const duplicateEndpoints = [
  writing({
    ...{ ...linking, method: 'PUT', name: 'putDuplicate' },
    body: { fields: { of: questionDuplicate.input.of }, required: ['of'] },
    key: (call) => ({ id: idOf(call), of: sentId(call.body.of) }),
    input: ({ body }) => ({ of: sentId(body.of) || '-' }),
  }),
  writing({
    ...{ ...linking, method: 'DELETE', name: 'deleteDuplicate' },
    key: (call) => ({ id: idOf(call), of: '' }),
    input: () => ({ of: '' }),
  }),
]

/** Why a question cannot be linked to another: it is not in the course, not readable by all who read this one, or itself. */
export type DuplicateRefusal = 'unknown' | 'private' | 'itself'

/** The id in what somebody typed: a number, #12, or an address of a question. null: there is none. */
export function questionIdIn(typed: string): number | null {
  const id = /^(?:#|(?:https?:\/\/[^/\s]+)?\/questions\/)?([1-9]\d{0,14})(?:[/?#]\S*)?$/.exec(
    typed.trim(),
  )?.[1]
  return id === undefined ? null : Number(id)
}

/**
 * Says that a question is answered by another one, or that it is not. A chain is followed to its end, and what led to this
 * question leads there, too. The asker and the followers follow the other one from then on.
 * @param originalId null: it is no duplicate
 * @returns why that cannot be; null: done
 */
export async function setDuplicate(
  write: Write,
  { questionId, originalId, actorId }: { questionId: number; originalId: number | null; actorId: number },
): Promise<DuplicateRefusal | null> {
  if (originalId === null) {
    await lockQuestion(write, questionId)
    const none = { duplicate_of: null, duplicate_by: null }
    await write.updateTable('questions').set(none).where('id', '=', questionId).execute()
    return null
  }
  const end = await lockOriginal(write, questionId, originalId)
  await lockQuestion(write, questionId)
  if (originalId === questionId || end?.id === questionId) return 'itself'
  if (end === null) return 'unknown'
  if (!end.isListed) return 'private'
  await write
    .updateTable('questions')
    .set({ duplicate_of: end.id, duplicate_by: actorId })
    .where((where) => where.or([where('id', '=', questionId), where('duplicate_of', '=', questionId)]))
    .execute()
  await carryFollowers(write, questionId, end.id)
  return null
}

/**
 * The question that a link leads to: what has answers is no duplicate itself, so that a chain has one step. Links of a course are
 * made one after another, or two at once would make a circle. The end is locked before what shall lead to it, as by those who
 * delete or hide it, which releases its duplicates: it stays as it is until the link is made.
 */
export async function lockOriginal(write: Write, questionId: number, id: number) {
  await sql`
    select pg_advisory_xact_lock(hashtext('duplicates'), course_id::integer)
    from questions where id = ${questionId}`.execute(write)
  const { rows } = await sql<{ id: number; isListed: boolean }>`
    select original.id, original.is_listed as "isListed"
    from questions as question
    join questions as named on named.course_id = question.course_id
    join questions as original on original.id = coalesce(named.duplicate_of, named.id)
    where question.id = ${questionId} and named.id = ${id} and original.course_id = question.course_id
      and original.is_shown
    for no key update of original`.execute(write)
  return rows[0] ?? null
}

/** Who muted the other one hears nothing of it. */
async function carryFollowers(write: Write, from: number, to: number): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id)
    select ${to}, person_id from (
      select person_id from question_follows where question_id = ${from} and level = 'follow'
      union select author_id from questions where id = ${from}) as follower
    order by person_id
    on conflict do nothing`.execute(write)
}
