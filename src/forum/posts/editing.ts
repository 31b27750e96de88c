import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { merged } from '../../text/merged.ts'
import { type FormState, refuse, sentFields } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { FIND, type Post } from './find.ts'
import type { PostTable } from './kinds.ts'
import { findKeptText } from './text.ts'

export interface ShownForm<Source> {
  readonly source: Source
  readonly form: FormState
  /** null after a conflict, or when it did not say: both texts are shown, and saving again wins then. */
  readonly begunWith: number | null
  /** The author's changes of the body and the others' in one; null: none is proposed. */
  readonly merged?: string | null
}

interface Editing<Source> {
  readonly table: PostTable
  findSource(id: number): Promise<Source>
  typedOf(source: Source): Record<string, string>
  show(request: FastifyRequest, reply: FastifyReply, post: Post, shown: ShownForm<Source>): Promise<unknown>
}

/**
 * Opens the page where posts of a kind are edited. @returns what its form has in common: it is shown again with what was typed, beside
 * both texts where someone else changed the post meanwhile, and where it can be said the one that holds both changes
 */
export function registerEditPage<Source extends { readonly body: string; readonly version: number }>(
  app: FastifyInstance,
  { table, findSource, typedOf, show }: Editing<Source>,
) {
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const formPage = (request: FastifyRequest) => `/${table}/${key(request)}/edit`
  async function read(request: FastifyRequest) {
    const post = await FIND[table](app.db, request.requirePerson(), key(request), 'edit')
    return { post, source: await findSource(post.id) }
  }

  app.get(`/${table}/:id/edit`, async (request, reply) => {
    const { post, source } = await read(request)
    const before = await findTypedBefore(request, formPage(request))
    const form = reopenedForm(request, before, typedOf(source))
    const begunWith = before === null ? source.version : versionOf(before.fields)
    return show(request, reply, post, { source, form, begunWith })
  })

  async function again(
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    isOvertaken = false,
  ): Promise<unknown> {
    const { post, source } = await read(request)
    const version = versionOf(request.body)
    if (!isOvertaken) return show(request, reply, post, { source, form, begunWith: version })
    const { body: mine = '' } = form.typed
    const base = await findKeptText(app.db, { table, id: post.id }, version ?? 0)
    const both = base && merged(mine, base.body, source.body)
    // Where both changed the same lines there is no such text.
    const isBoth = both !== mine && both !== source.body
    return show(request, reply, post, { source, merged: isBoth ? both : null, form, begunWith: null })
  }

  return {
    ...{ key, formPage, keeps: true },
    input(request) {
      takeMerged(request)
      return sentFields(request.body)
    },
    refused: (request, reply, form) => again(request, reply, form),
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? again(request, reply, refuse(form, 'body', 'posts.conflict.summary'), true)
        : null,
  } satisfies Partial<FormDoor<number, unknown>>
}

/** On the page of a conflict the merged text has a field and a button of its own: it becomes the text that was sent. */
function takeMerged(request: FastifyRequest): void {
  const { body } = request
  if (typeof body !== 'object' || body === null || !('take' in body) || body.take !== 'merged') return
  if ('merged' in body && typeof body.merged === 'string') request.body = { ...body, body: body.merged }
}

/**
 * The version that an edit began with. One that does not say began with the present text where that is certain: nobody has edited
 * it, or the last to do so was the same person.
 * @param said by the edit; null: it did not say. @param present without an account that wrote it nobody knows
 * @returns 0, which no post has, where it cannot be known
 */
export function begunWith(
  said: number | null,
  { version, writtenBy }: { readonly version: number; readonly writtenBy?: number | null },
  personId: number,
): number {
  if (said !== null) return said
  return version === 1 || writtenBy === personId ? version : 0
}

/**
 * The version an edit form began with, from its hidden field.
 * @returns null when it does not say; 0, which no post has, when what it says is no version
 */
export function versionOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('version' in body) || body.version === '') return null
  return typeof body.version === 'string' && /^[1-9]\d{0,8}$/.test(body.version) ? Number(body.version) : 0
}
