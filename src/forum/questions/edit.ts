import { isDeepStrictEqual } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { noteEdit } from '../../audit-log/note-edit.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import { type FormState, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { parsePost } from '../../web/limits/newcomers.ts'
import { idParam } from '../../web/params.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourses } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { barOf } from '../courses/course-bar.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { placeIn, type QuestionFields, questionFields } from './ask-form.ts'
import { deleteQuestion, editQuestion, restoreQuestion } from './commands.ts'
import { findQuestion, type Post } from './find.ts'
import { flashOf, type QuestionValues, questionEditForm } from './form.ts'
import { mergeOf, takeMerged } from './merge.ts'
import { type Naming, namedAs, namingOf } from './naming.ts'
import { findQuestionSource, type QuestionSource } from './source.ts'
import { versionOf } from './version.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'questions/edit': QuestionEditPage
  }
}

export interface QuestionEditPage extends QuestionFields {
  readonly action: string
  readonly deletePath: string
  readonly backPath: string
  readonly version: number
  /** The question as it is now, where saving would replace what the author may not have seen; null: nothing like that. */
  readonly theirs: { readonly title: string; readonly body: string } | null
  /** Their changes of the body and the author's in one; null: none is proposed. */
  readonly merged: string | null
  /** null: the name is nothing to choose. */
  readonly naming: Naming | null
}

/** Editing, deleting and restoring a question. */
export function registerQuestionEditing(app: FastifyInstance): void {
  app.get('/questions/:id/edit', async (request, reply) => {
    const question = await findQuestion(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
    const source = await findQuestionSource(app.db, question.id)
    const before = await findTypedBefore(request, `/questions/${question.id}/edit`)
    const form = reopenedForm(request, before, typedOf(source))
    const begunWith = before === null ? source.version : versionOf(before.fields)
    return showForm(request, reply, question, { status: 200, source, form, begunWith })
  })

  const questionPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  const formPage = (request: FastifyRequest) => `${questionPage(request)}/edit`
  const keeps = [...questionEditForm.names, 'version']
  app.post(
    '/questions/:id/edit',
    { config: { limit: 'posting', needsPerson: true, formPage, keeps } },
    async (request, reply) => {
      const question = await findQuestion(app.db, request.requirePerson(), idParam(request, 'id'), 'edit')
      const source = await findQuestionSource(app.db, question.id)
      takeMerged(request)
      const form = parsePost(request, questionEditForm)
      const begunWith = versionOf(request.body)
      const refused = (state: FormState) =>
        showForm(request, reply, question, { status: 422, source, form: state, begunWith })
      if (!form.ok) return refused(form)
      const place = placeIn(await courseOf(request, question), form, form.values)
      if (!place.ok) return refused(place.form)
      if (begunWith === null) return refused(refuse(form, 'body', 'posts.conflict.unknown'))
      const { title, body, tags } = form.values
      const { categoryId, lectureId } = place
      const named = namedAs(request.requirePerson(), question, source, form, form.values.anonymous)
      if (!named.ok) return refused(named.form)
      const content = { title, body, tags, categoryId, lectureId, isAnonymous: named.isAnonymous }
      const outcome = await editQuestion(app.db, question.id, content, {
        editorId: request.requirePerson().id,
        version: begunWith,
        reason: form.values.reason,
      })
      const theirs = outcome === 'done' ? null : await findQuestionSource(app.db, question.id)
      if (theirs === null || isSame(theirs, form.values)) {
        noteEdit(request, 'question', question)
        return reply.flash(flashOf('edited', form.typed)).redirect(questionPath({ ...question, title }), 303)
      }
      const conflicting = refuse(form, 'body', 'posts.conflict.summary')
      const texts = { mine: body, theirs: theirs.body }
      const both = await mergeOf(app.db, { table: 'questions', id: question.id }, begunWith, texts)
      return showForm(request, reply, question, {
        status: 409,
        source: theirs,
        merged: both,
        form: conflicting,
        begunWith: null,
      })
    },
  )

  app.post(
    '/questions/:id/delete',
    { config: { limit: 'posting', needsPerson: true } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'delete')
      await deleteQuestion(app.db, question.id, person.id)
      noteEvent(request, 'post-deleted', { kind: 'question', id: question.id, authorId: question.authorId })
      return reply
        .flash('questions.flash.deleted', `/questions/${question.id}/restoration`)
        .redirect('/questions', 303)
    },
  )

  app.post(
    '/questions/:id/restoration',
    { config: { limit: 'posting', needsPerson: true, formPage: questionPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const { id, authorId, audience } = await findQuestion(app.db, person, idParam(request, 'id'), 'restore')
      const title = await restoreQuestion(app.db, id)
      noteEvent(request, 'post-restored', { kind: 'question', id, authorId })
      return reply.flash('questions.flash.restored').redirect(questionPath({ id, title, audience }), 303)
    },
  )
}

interface ShownForm {
  readonly status: 200 | 409 | 422
  /** The question as it is now. */
  readonly source: QuestionSource
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
  question: Post,
  { status, source, form, begunWith, merged = null }: ShownForm,
) {
  const t = translatorOf(languageOfRequest(request))
  const course = await courseOf(request, question)
  return reply.page(
    'questions/edit',
    {
      title: t(request.person?.id === question.authorId ? 'questions.edit.title' : 'questions.edit.others'),
      action: `/questions/${question.id}/edit`,
      deletePath: `/questions/${question.id}/delete`,
      backPath: questionPath(question),
      version: begunWith ?? source.version,
      theirs: begunWith === null ? { title: source.title, body: source.body } : null,
      merged,
      naming: namingOf(request.requirePerson(), question, source, form),
      ...questionFields(request, course, form),
      peoplePath: mentionablePath(question.id),
    },
    {
      status,
      about: question.title,
      showsTexts: true,
      course: course.slug,
      bar: await barOf(request, course, 'questions', true),
    },
  )
}

async function courseOf(request: FastifyRequest, question: Post): Promise<AskableCourse> {
  const courses = await askableCourses(request.server.db, request.person)
  const course = courses.find(({ id }) => id === question.courseId)
  if (course === undefined) throw notFound()
  return course
}

/** Whether somebody else wants the same, or a form came twice: then there is no conflict. */
function isSame(source: QuestionSource, values: QuestionValues): boolean {
  const { title, body, tags, category, lecture } = values
  const wished = [title, body, tags, category ?? DEFAULT_CATEGORY.slug, lecture]
  return isDeepStrictEqual([source.title, source.body, source.tags, source.category, source.lecture], wished)
}

function typedOf(source: QuestionSource): Record<string, string> {
  const { title, body, tags, category, lecture } = source
  return { title, body, tags: tags.join(', '), category, lecture: lecture === null ? '' : String(lecture) }
}
