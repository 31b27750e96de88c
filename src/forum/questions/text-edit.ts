import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FormState } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { mentionablePath } from '../../web/paths.ts'
import { registerEditPage, type ShownForm } from '../posts/editing.ts'
import { type findAnswer, type Post, questionOf } from '../posts/find.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { type Naming, namingOf } from '../posts/naming.ts'
import { registerRemoval } from '../posts/removal-forms.ts'
import { findTextSource, type TextSource } from '../posts/source.ts'
import type { TextEditing } from './edit-operations.ts'

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
  /** Characters that its text may have. */
  readonly max: number
  /** Where a post of this kind is on its question's page. */
  readonly path: (post: { readonly id: number; readonly question: ReturnType<typeof questionOf> }) => string
}

/** Editing an answer or a reply, deleting and restoring it: the page and the forms. */
export function registerTextEditing(app: FastifyInstance, kind: TextKind): void {
  const { table, find, edit } = kind
  const editing = registerEditPage<TextSource>(app, {
    table,
    find,
    findSource: (id) => findTextSource(app.db, table, id),
    typedOf: ({ body }) => ({ body }),
    show: (request, reply, post, shown) => showForm(request, reply, kind, post, shown),
  })
  openForm(app, `/${table}/:id/edit`, edit, {
    ...editing,
    done: kind.path,
    flash: (request, done) =>
      done?.isChanged === false
        ? 'forms.unchanged'
        : saidOfPost(request, table, done?.id, `${table}.flash.edited`),
  })
  registerRemoval(app, table)
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: TextKind,
  post: Post,
  { status, source, form, begunWith, merged = null }: ShownForm<TextSource>,
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
