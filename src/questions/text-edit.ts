import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../messages/catalogue.ts'
import { type Form, type FormState, freshForm, refuse } from '../web/form.ts'
import { findKeptForm } from '../web/kept-forms.ts'
import { languageOfRequest } from '../web/language.ts'
import { queryParam } from '../web/params.ts'
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
  const kept = await findKeptForm(request.server.db, queryParam(request, 'kept'))
  const source = await findTextSource(request.server.db, kind.table, post.id)
  return showForm(request, reply, kind, post, source, freshForm(kept ?? { body: source.body }), 200)
}

export async function saveTextEdit(request: FastifyRequest, reply: FastifyReply, kind: TextKind, post: Post) {
  const { db } = request.server
  const form = kind.form.parse(request.body)
  const source = await findTextSource(db, kind.table, post.id)
  if (!form.ok) return showForm(request, reply, kind, post, source, form, 422)
  const outcome = await editText(db, kind.table, post, form.values.body, versionOf(request.body))
  if (outcome === 'done') return reply.flash(`${kind.table}.flash.edited`).redirect(kind.path(post), 303)
  const theirs = await findTextSource(db, kind.table, post.id)
  return showForm(request, reply, kind, post, theirs, refuse(form, 'body', 'posts.conflict.summary'), 409)
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: TextKind,
  post: Post,
  source: { body: string; version: number },
  form: FormState,
  status: 200 | 409 | 422,
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
      // A refused form keeps the version its author began with; after a conflict, saving again is meant to win.
      version: status === 422 ? (versionOf(request.body) ?? source.version) : source.version,
      form,
      theirs: status === 409 ? { body: source.body } : null,
    },
    { status },
  )
}
