import type { FastifyReply, FastifyRequest } from 'fastify'
import { noteEdit } from '../../audit-log/note-edit.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { may } from '../../rights/rights.ts'
import { type Form, type FormState, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { parsePost } from '../../web/limits/newcomers.ts'
import { mentionablePath } from '../../web/paths.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import type { Post } from './find.ts'
import { mergeOf, takeMerged } from './merge.ts'
import { type Naming, namedAs, namingOf } from './naming.ts'
import { editText } from './post-text.ts'
import { findTextSource, type TextSource } from './source.ts'
import { versionOf } from './version.ts'

declare module '../../web/views.ts' {
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
  readonly form: Form<{ body: string; anonymous: boolean | null; reason: string | null }>
  /** Characters that its text may have. */
  readonly max: number
  /** Where a post of this kind is on its question's page. */
  readonly path: (post: Post) => string
}

export async function showTextEdit(request: FastifyRequest, reply: FastifyReply, kind: TextKind, post: Post) {
  const before = await findTypedBefore(request, `/${kind.table}/${post.id}/edit`)
  const source = await findTextSource(request.server.db, kind.table, post.id)
  const form = reopenedForm(request, before, { body: source.body })
  const begunWith = before === null ? source.version : versionOf(before.fields)
  return showForm(request, reply, kind, post, { status: 200, source, form, begunWith })
}

export async function saveTextEdit(request: FastifyRequest, reply: FastifyReply, kind: TextKind, post: Post) {
  const { db } = request.server
  takeMerged(request)
  const form = parsePost(request, kind.form)
  const source = await findTextSource(db, kind.table, post.id)
  const begunWith = versionOf(request.body)
  const refused = (state: FormState) =>
    showForm(request, reply, kind, post, { status: 422, source, form: state, begunWith })
  if (!form.ok) return refused(form)
  if (begunWith === null) return refused(refuse(form, 'body', 'posts.conflict.unknown'))
  const { body, anonymous } = form.values
  const named = namedAs(request.requirePerson(), post, source, form, anonymous)
  if (!named.ok) return refused(named.form)
  const outcome = await editText(db, kind.table, post, {
    editorId: request.requirePerson().id,
    body,
    isAnonymous: named.isAnonymous,
    version: begunWith,
    reason: form.values.reason,
    isByStaff: may(request.person, 'endorse', post),
  })
  const theirs = outcome === 'done' ? null : await findTextSource(db, kind.table, post.id)
  // A form that came twice wants what is there already: no conflict.
  if (theirs === null || theirs.body === body) {
    noteEdit(request, kind.table === 'answers' ? 'answer' : 'reply', post)
    return reply.flash(`${kind.table}.flash.edited`).redirect(kind.path(post), 303)
  }
  const conflicting = refuse(form, 'body', 'posts.conflict.summary')
  const both = await mergeOf(db, { table: kind.table, id: post.id }, begunWith, {
    mine: form.values.body,
    theirs: theirs.body,
  })
  return showForm(request, reply, kind, post, {
    status: 409,
    source: theirs,
    merged: both,
    form: conflicting,
    begunWith: null,
  })
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
      max: kind.max,
      peoplePath: mentionablePath(post.questionId),
      theirs: begunWith === null ? { body: source.body } : null,
      merged,
      naming: namingOf(request.requirePerson(), post, source, form),
    },
    { status, about: post.title, showsTexts: true },
  )
}
