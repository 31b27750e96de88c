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
import { forbidden, notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { may } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { ADMIN_HEAD, adminNav } from './nav.ts'
import { showPerson } from './person-page.ts'

const PATH = '/admin/people/:id/merge'
const personOfPage = (request: FastifyRequest) => `/admin/people/${textParam(request, 'id')}`
const typedFrom = ({ body }: FastifyRequest) => String(sentFields(body).from ?? '')

export function registerMerging(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    requireAdmin(request)
    return showMerge(request, reply, queryParam(request, 'other'), freshForm())
  })
  const key = (request: FastifyRequest) => ({ into: textParam(request, 'id'), from: typedFrom(request) })
  openForm(app, PATH, accountMerge, {
    key,
    formPage: personOfPage,
    input: (request) => ({ ...sentFields(request.body), ...key(request) }),
    done: (_, request) => personOfPage(request),
    flash: () => 'merging.flash.done',
    refused: (request, reply, form) => showMerge(request, reply, typedFrom(request), form, 422),
  })
  openForm(app, `${PATH}/undo`, mergeUndo, {
    key,
    formPage: personOfPage,
    input: key,
    done: ({ fromId }) => `/admin/people/${fromId}`,
    flash: () => 'merging.flash.undone',
    refused: async (request, reply, form) =>
      showPerson(request, reply, form, 422, await openAccountOf(request)),
  })
}

/** The account of a path's `:id`, or the one that it was merged into since. */
async function openAccountOf(request: FastifyRequest): Promise<number> {
  const id = idParam(request, 'id')
  return (await mergedInto(request.server.db, id)) ?? id
}

/** @throws Problem 403 for everybody but admins */
function requireAdmin(request: FastifyRequest): Person {
  const person = request.requirePerson()
  if (!may(person, 'manage-people')) throw forbidden()
  return person
}

/** Two accounts, and what merging them moves. */
export async function showMerge(
  request: FastifyRequest,
  reply: FastifyReply,
  other: string | null,
  form: FormState,
  status = 200,
) {
  const { db } = request.server
  const admin = requireAdmin(request)
  const into = await findMergingAccount(db, textParam(request, 'id'))
  if (into === undefined || String(into.id) !== textParam(request, 'id')) throw notFound()
  const from = other === null ? undefined : await findMergingAccount(db, other)
  const fault = from === undefined ? 'merging.unknown' : await whyNot(db, pairOf(from, into), admin.id)
  const isReady = from !== undefined && fault === null
  const isFaulty = other !== null && fault !== null && form.errors.length === 0
  const errors = isFaulty ? [{ field: 'other', message: { key: fault } }] : form.errors
  const timeZone = await request.server.timeZoneFor(request)
  const personPath = `/admin/people/${into.id}`
  const t = translatorFor(request)
  return reply.page(
    'admin/merge',
    {
      title: t('merging.title'),
      ...adminNav(contextOf(request), '/admin/people'),
      form: { typed: { ...form.typed, other: other ?? '' }, errors },
      personPath,
      mergePath: `${personPath}/merge`,
      days: UNDO_DAYS,
      into: accountView(into, timeZone, t),
      from: isReady ? accountView(from, timeZone, t) : null,
      swapPath: isReady ? pathWith(`/admin/people/${from.id}/merge`, { other: into.id }) : null,
      moved: isReady ? await countMoved(db, pairOf(from, into)) : [],
      // Anonymous posts that stay with the closed account.
      staying: isReady ? await countStaying(db, pairOf(from, into)) : 0,
    },
    { ...ADMIN_HEAD, status: isFaulty ? 422 : status, address: `${personPath}/merge` },
  )
}

const pairOf = (from: MergingAccount, into: MergingAccount) => ({ fromId: from.id, intoId: into.id })

function accountView({ id, displayName, email, lastSeenAt }: MergingAccount, timeZone: string, t: Translate) {
  return {
    id,
    byline: personByline({ id, displayName, role: null }),
    email,
    lastSeen: lastSeenAt === null ? null : writtenDate(lastSeenAt, timeZone, t),
  }
}
