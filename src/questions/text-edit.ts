import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEdit } from '../events/note-edit.ts'
import { parsePost } from '../limits/newcomers.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { type Form, type FormState, freshForm, refuse } from '../web/form.ts'
import { findKeptForm } from '../web/kept-forms.ts'
import { languageOfRequest } from '../web/language.ts'
import type { Post } from './find.ts'
import { editText } from './post-text.ts'
import { findTextSource } from './source.ts'
import { versionOf } from './version.ts'

declare module '../web/views.ts' {
  interface Pages {
    'questions/edit-text': TextEditPage
  }
}

/** Editing an answer or a reply: one field. */
export interface TextEditPage {
  readonly kind: 'answers' | 'replies'
  readonly action: string
  readonly deletePath: string
  readonly backPath: string
  readonly version: number
  readonly form: FormState
  /** What somebody else made of it meanwhile; null: nobody did. */
  readonly theirs: { readonly body: string } | null
}

export interface TextKind {
  readonly table: 'answers' | 'replies'
  readonly form: Form<{ body: string }>
  /** Where a post of this kind is on its question's page. */
  readonly path: (post: Post) => string
}

export async function showTextEdit(request: FastifyRequest, reply: FastifyReply, kind: TextKind, post: Post) {
  const kept = await findKeptForm(request)
  const source = await findTextSource(request.server.db, kind.table, post.id)
  const form = freshForm(kept ?? { body: source.body })
  return showForm(request, reply, kind, post, { status: 200, source, form, begunWith: versionOf(kept) })
}

export async function saveTextEdit(request: FastifyRequest, reply: FastifyReply, kind: TextKind, post: Post) {
  const { db } = request.server
  const form = parsePost(request, kind.form)
  const source = await findTextSource(db, kind.table, post.id)
  const begunWith = versionOf(request.body)
  if (!form.ok) return showForm(request, reply, kind, post, { status: 422, source, form, begunWith })
  const outcome = await editText(db, kind.table, post, form.values.body, begunWith)
  const theirs = outcome === 'done' ? null : await findTextSource(db, kind.table, post.id)
  // A form that came twice wants what is there already: no conflict.
  if (theirs === null || theirs.body === form.values.body) {
    noteEdit(request, kind.table === 'answers' ? 'answer' : 'reply', post)
    return reply.flash(`${kind.table}.flash.edited`).redirect(kind.path(post), 303)
  }
  const conflicting = refuse(form, 'body', 'posts.conflict.summary')
  return showForm(request, reply, kind, post, {
    status: 409,
    source: theirs,
    form: conflicting,
    begunWith: null,
  })
}

interface ShownForm {
  readonly status: 200 | 409 | 422
  /** The text as it is now. */
  readonly source: { readonly body: string; readonly version: number }
  readonly form: FormState
  /** The version a form began with that was refused or kept; null after a conflict: saving again is meant to win then. */
  readonly begunWith: number | null
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: TextKind,
  post: Post,
  { status, source, form, begunWith }: ShownForm,
) {
  const t = translatorOf(languageOfRequest(request))
  const path = `/${kind.table}/${post.id}`
  return reply.page(
    'questions/edit-text',
    {
      title: t(`${kind.table}.edit.title`),
      kind: kind.table,
      action: `${path}/edit`,
      deletePath: `${path}/delete`,
      backPath: kind.path(post),
      version: begunWith ?? source.version,
      form,
      theirs: status === 409 ? { body: source.body } : null,
    },
    { status },
  )
}
