import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { UNDO_DAYS } from '../../accounts/deletion/leave.ts'
import { mergedInto } from '../../database/merged-accounts.ts'
import { personByline } from '../../forum/authors/byline.ts'
import { accountMerge, mergeUndo, whyNot } from '../../forum/merging/operations.ts'
import {
  countMoved,
  countStaying,
  findMergingAccount,
  type MergingAccount,
} from '../../forum/merging/preview.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { adminPage } from './nav.ts'
import { showPerson } from './person-page.ts'

const PATH = '/admin/people/:id/merge'
const personOfPage = (request: FastifyRequest) => `/admin/people/${textParam(request, 'id')}`
const typedFrom = ({ body }: FastifyRequest) => String(sentFields(body).from ?? '')

export function registerMerging(app: FastifyInstance): void {
  app.get(PATH, (request, reply) => showMerge(request, reply, queryParam(request, 'other')))
  const key = (request: FastifyRequest) => ({ into: textParam(request, 'id'), from: typedFrom(request) })
  openForm(app, PATH, accountMerge, {
    key,
    formPage: personOfPage,
    input: (request) => ({ ...sentFields(request.body), ...key(request) }),
    done: (_, request) => personOfPage(request),
    flash: () => 'merging.flash.done',
    refused: (request, reply, form) => showMerge(request, reply, typedFrom(request), form),
  })
  openForm(app, `${PATH}/undo`, mergeUndo, {
    key,
    formPage: personOfPage,
    input: key,
    done: ({ fromId }) => `/admin/people/${fromId}`,
    flash: () => 'merging.flash.undone',
    // The account of the path may have been merged into another one since.
    async refused(request, reply, form) {
      const id = idParam(request, 'id')
      return showPerson(request, reply, form, (await mergedInto(app.db, id)) ?? id)
    },
  })
}

/** Two accounts, and what merging them moves. @throws Problem 403 for everybody but admins, 404 */
export async function showMerge(
  request: FastifyRequest,
  reply: FastifyReply,
  other: string | null,
  form: FormState = freshForm(),
) {
  const { db } = request.server
  const admin = request.requirePerson()
  requireRight(admin, 'manage-people', null)
  const into = await findMergingAccount(db, textParam(request, 'id'))
  if (into === undefined || String(into.id) !== textParam(request, 'id')) throw notFound()
  const from = other === null ? undefined : await findMergingAccount(db, other)
  const fault = from === undefined ? 'merging.unknown' : await whyNot(db, pairOf(from, into), admin.id)
  const isFaulty = other !== null && fault !== null && form.errors.length === 0
  const errors = isFaulty ? [{ field: 'other', message: { key: fault } }] : form.errors
  if (isFaulty) reply.code(422)
  const shown = { typed: { ...form.typed, other: other ?? '' }, errors }
  return showPair(request, reply, into, from === undefined || fault !== null ? null : from, shown)
}

const showPair = adminPage(
  'admin/merge',
  '/admin/people',
  async (context, into: MergingAccount, from: MergingAccount | null, form: FormState) => {
    const { t, db } = context
    const timeZone = await context.timeZone()
    const personPath = `/admin/people/${into.id}`
    return {
      title: t('merging.title'),
      form,
      personPath,
      mergePath: `${personPath}/merge`,
      days: UNDO_DAYS,
      into: accountView(into, timeZone, t),
      from: from === null ? null : accountView(from, timeZone, t),
      swapPath: from === null ? null : pathWith(`/admin/people/${from.id}/merge`, { other: into.id }),
      moved: from === null ? [] : await countMoved(db, pairOf(from, into)),
      // Anonymous posts that stay with the closed account.
      staying: from === null ? 0 : await countStaying(db, pairOf(from, into)),
      head: { address: `${personPath}/merge` },
    }
  },
)

const pairOf = (from: MergingAccount, into: MergingAccount) => ({ fromId: from.id, intoId: into.id })

function accountView({ id, displayName, email, lastSeenAt }: MergingAccount, timeZone: string, t: Translate) {
  return {
    id,
    byline: personByline({ id, displayName, role: null }),
    email,
    lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
  }
}
