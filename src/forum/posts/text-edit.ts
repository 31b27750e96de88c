import type { FastifyInstance } from 'fastify'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { mentionablePath } from '../../web/paths.ts'
import { endDraft } from '../drafts/draft.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { begunWith, registerEditPage, type ShownForm } from './editing.ts'
import { type Post, questionOf } from './find.ts'
import { editReason, naming, postBody, replyBody, version } from './form.ts'
import { lookAgain } from './hold.ts'
import { type BelowTable, KINDS } from './kinds.ts'
import { SUBJECTS } from './lock.ts'
import { saidOfPost } from './mentions.ts'
import { registerRemoval } from './removal.ts'
import { fewLinks } from './rules.ts'
import { findTextSource, namedAs, namingOf, type TextSource } from './source.ts'
import { doubtedEdit } from './spam-service.ts'
import { editText } from './text.ts'

/** Changes an answer, or a reply. @throws EditedMeanwhile */
export const TEXT_EDITS = { answers: textEdit('answers'), replies: textEdit('replies') } as const

function textEdit(table: BelowTable) {
  const { kind, max } = KINDS[table]
  return operation({
    name: `edit-${kind}`,
    right: 'edit',
    find: SUBJECTS[table],
    input: {
      body: table === 'answers' ? postBody() : replyBody(),
      anonymous: naming,
      reason: editReason(),
      version,
    },
    completed: typedMentions(placeBelow[table], max),
    doubts: doubtedEdit(table),
    rules: [fewLinks],
    events: ['post-edited', 'post-held'],
    async run(doing) {
      const { write, actor, subject, input, note } = doing
      const person = personOf(actor)
      const { id, authorId } = subject
      const source = await findTextSource(write, table, id)
      const version = begunWith(input.version, source, person.id)
      const isAnonymous = namedAs(person, subject, source, input.anonymous)
      const isWished = source.body === input.body.source && source.isAnonymous === isAnonymous
      if (isWished && version === source.version) {
        await endDraft(write, person.id, `/${table}/${id}/edit`, { body: input.body.source })
        return { id, question: questionOf(subject), isChanged: false }
      }
      const outcome = await editText(write, table, subject, {
        ...{ actorId: person.id, version, reason: input.reason, body: input.body, isAnonymous },
        isByStaff: may(person, 'endorse', subject),
      })
      // An edit that came twice wants what is there already: no conflict.
      if (outcome === 'conflict' && !isWished) throw new EditedMeanwhile()
      if (person.id !== authorId) note('post-edited', { kind, id, authorId })
      else await lookAgain(doing, { table, id, html: input.body.html })
      return { id, question: questionOf(subject), isChanged: true }
    },
  })
}

export function registerTextEditing(app: FastifyInstance, table: BelowTable): void {
  const editing = registerEditPage<TextSource>(app, {
    table,
    findSource: (id) => findTextSource(app.db, table, id),
    typedOf: ({ body }) => ({ body }),
    show: (request, reply, post, shown) => showForm(request, reply, table, post, shown),
  })
  openForm(app, `/${table}/:id/edit`, TEXT_EDITS[table], {
    ...editing,
    done: ({ id, question }) => KINDS[table].path(question, id),
    flash: (request, done) =>
      done?.isChanged === false
        ? 'forms.unchanged'
        : saidOfPost(request, table, done, `${table}.flash.edited`),
  })
  registerRemoval(app, table)
}

export const showForm = page(
  'questions/edit-text',
  { showsTexts: true },
  (
    { t, person },
    table: BelowTable,
    post: Post,
    { source, form, begunWith, merged = null }: ShownForm<TextSource>,
  ) => ({
    title: t(`${table}.edit.title`),
    kind: table,
    action: `/${table}/${post.id}/edit`,
    deletePath: `/${table}/${post.id}/delete`,
    backPath: KINDS[table].path(questionOf(post), post.id),
    version: begunWith ?? source.version,
    form,
    max: KINDS[table].max,
    peoplePath: mentionablePath(post.questionId),
    // The text as it is now, where saving would replace what the author may not have seen.
    theirs: begunWith === null ? { body: source.body } : null,
    merged,
    naming: namingOf(person(), post, source, form),
    head: { about: post.title },
  }),
)
