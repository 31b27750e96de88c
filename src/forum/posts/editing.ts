import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../operations/problem.ts'
import { type FormState, refuse, sentFields } from '../../web/form.ts'
import type { FormDoor } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { versionOf } from './begun-with.ts'
import { FIND, type Post } from './find.ts'
import type { PostTable } from './kinds.ts'
import { mergeOf, takeMerged } from './merge.ts'

export interface ShownForm<Source> {
  readonly status: 200 | 409 | 422
  readonly source: Source
  readonly form: FormState
  /**
   * The version the form began with. null after a conflict, or when it did not say: both texts are shown, and saving again is
   * meant to win then.
   */
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
    return show(request, reply, post, { status: 200, source, form, begunWith })
  })

  async function showConflict(request: FastifyRequest, reply: FastifyReply, typed: FormState) {
    const { post, source } = await read(request)
    const texts = { mine: typed.typed.body ?? '', theirs: source.body }
    const merged = await mergeOf(app.db, { table, id: post.id }, versionOf(request.body) ?? 0, texts)
    const form = refuse(typed, 'body', 'posts.conflict.summary')
    return show(request, reply, post, { status: 409, source, merged, form, begunWith: null })
  }

  return {
    ...{ key, formPage, keeps: true },
    input(request) {
      takeMerged(request)
      return sentFields(request.body)
    },
    async refused(request, reply, form) {
      const { post, source } = await read(request)
      return show(request, reply, post, { status: 422, source, form, begunWith: versionOf(request.body) })
    },
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile ? showConflict(request, reply, form) : null,
  } satisfies Partial<FormDoor<number, unknown>>
}
