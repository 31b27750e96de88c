import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../operations/refused.ts'
import { type FormState, refuse, sentFields } from '../../web/form.ts'
import { type FormDoor, openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import type { TextEditing } from './edit-operations.ts'
import { type findAnswer, type Post, questionOf } from './find.ts'
import { mergeOf, takeMerged } from './merge.ts'
import { type Naming, namingOf } from './naming.ts'
import type { removalOf } from './removal.ts'
import { findTextSource, type TextSource } from './source.ts'
import { versionOf } from './version.ts'

/** Editing an answer or a reply: one field. */
interface TextEditPage {
  readonly kind: 'answers' | 'replies'
  readonly action: string
  readonly deletePath: string
  readonly backPath: string
  readonly version: number
  readonly form: FormState
  /** Characters that the text may have. */
  readonly max: number
  /** Where those are asked for whom it can mention. */
  readonly peoplePath: string
  /** The text as it is now, where saving would replace what the author may not have seen; null: nothing like that. */
  readonly theirs: { readonly body: string } | null
  /** Their changes and the author's in one text; null: none is proposed. */
  readonly merged: string | null
  /** null: the name is nothing to choose. */
  readonly naming: Naming | null
}

export interface TextKind {
  readonly table: 'answers' | 'replies'
  readonly find: typeof findAnswer
  readonly edit: TextEditing
  readonly removal: ReturnType<typeof removalOf>
  /** Where a visitor comes back to who has to sign in to restore it. */
  readonly formPage?: FormDoor<number, unknown>['formPage']
  /** Characters that its text may have. */
  readonly max: number
  /** Where a post of this kind is on its question's page. */
  readonly path: (post: { readonly id: number; readonly question: ReturnType<typeof questionOf> }) => string
}

/** Editing an answer or a reply, deleting and restoring it: the page and the forms. */
export function registerTextEditing(app: FastifyInstance, kind: TextKind): void {
  const { table, edit } = kind
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const findPost = (request: FastifyRequest) =>
    kind.find(app.db, request.requirePerson(), key(request), 'edit')

  app.get(`/${table}/:id/edit`, async (request, reply) => {
    const post = await findPost(request)
    const before = await findTypedBefore(request, `/${table}/${post.id}/edit`)
    const source = await findTextSource(app.db, table, post.id)
    const form = reopenedForm(request, before, { body: source.body })
    const begunWith = before === null ? source.version : versionOf(before.fields)
    return showForm(request, reply, kind, post, { status: 200, source, form, begunWith })
  })

  openForm(app, `/${table}/:id/edit`, edit, {
    key,
    formPage: (request) => `/${table}/${key(request)}/edit`,
    keeps: true,
    input(request) {
      takeMerged(request)
      return sentFields(request.body)
    },
    done: kind.path,
    flash: () => `${table}.flash.edited`,
    async refused(request, reply, form) {
      const post = await findPost(request)
      const source = await findTextSource(app.db, table, post.id)
      const begunWith = versionOf(request.body)
      return showForm(request, reply, kind, post, { status: 422, source, form, begunWith })
    },
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile ? showConflict(request, reply, kind, form) : null,
  })

  openForm(app, `/${table}/:id/delete`, kind.removal.deletion, {
    key,
    done: ({ question }) => questionPath(question),
    flash: (request) => ({
      said: `${table}.flash.deleted`,
      act: `/${table}/${key(request)}/restoration`,
    }),
  })
  openForm(app, `/${table}/:id/restoration`, kind.removal.restoration, {
    key,
    ...(kind.formPage !== undefined && { formPage: kind.formPage }),
    done: kind.path,
    flash: () => `${table}.flash.restored`,
  })

  /** Both texts, and where it can be said the one that holds both changes. */
  async function showConflict(request: FastifyRequest, reply: FastifyReply, kind: TextKind, form: FormState) {
    const post = await findPost(request)
    const source = await findTextSource(app.db, table, post.id)
    const texts = { mine: form.typed.body ?? '', theirs: source.body }
    const merged = await mergeOf(app.db, { table, id: post.id }, versionOf(request.body) ?? 0, texts)
    const conflicting = refuse(form, 'body', 'posts.conflict.summary')
    return showForm(request, reply, kind, post, {
      status: 409,
      source,
      merged,
      form: conflicting,
      begunWith: null,
    })
  }
}

interface ShownForm {
  readonly status: 200 | 409 | 422
  /** The text as it is now. */
  readonly source: TextSource
  readonly form: FormState
  /**
   * The version the form began with. null after a conflict, or when it did not say: both texts are shown, and saving again is
   * meant to win then.
   */
  readonly begunWith: number | null
  readonly merged?: string | null
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: TextKind,
  post: Post,
  { status, source, form, begunWith, merged = null }: ShownForm,
) {
  const t = translatorFor(request)
  const path = `/${kind.table}/${post.id}`
  return reply.page<TextEditPage>(
    'questions/edit-text',
    {
      title: t(`${kind.table}.edit.title`),
      kind: kind.table,
      action: `${path}/edit`,
      deletePath: `${path}/delete`,
      backPath: kind.path({ id: post.id, question: questionOf(post) }),
      version: begunWith ?? source.version,
      form,
      max: kind.max,
      peoplePath: mentionablePath(post.questionId),
      theirs: begunWith === null ? { body: source.body } : null,
      merged,
      naming: namingOf(request.requirePerson(), post, source, form),
    },
    { status, about: post.title, showsTexts: true },
  )
}
