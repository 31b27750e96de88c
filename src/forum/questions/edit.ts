import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import { EditedMeanwhile } from '../../operations/refused.ts'
import { type FormState, refuse, sentFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourse } from '../courses/choices.ts'
import { barOf } from '../courses/course-bar.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { type QuestionFields, questionFields } from './ask-form.ts'
import { editQuestion } from './edit-operations.ts'
import { findQuestion, type Post } from './find.ts'
import { flashOf } from './form.ts'
import { mergeOf, takeMerged } from './merge.ts'
import { type Naming, namingOf } from './naming.ts'
import { questionDeletion, questionRestoration } from './operations.ts'
import { findQuestionSource, type QuestionSource } from './source.ts'
import { versionOf } from './version.ts'

interface QuestionEditPage extends QuestionFields {
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

  const key = (request: FastifyRequest) => idParam(request, 'id')
  const questionPage = (request: FastifyRequest) => `/questions/${key(request)}`
  openForm(app, '/questions/:id/edit', editQuestion, {
    key,
    formPage: (request) => `${questionPage(request)}/edit`,
    keeps: true,
    input(request) {
      takeMerged(request)
      return sentFields(request.body)
    },
    done: ({ question }) => questionPath(question),
    flash: (request) => flashOf('edited', typedIn(request.body, ['tags'])),
    async refused(request, reply, form) {
      const question = await findQuestion(app.db, request.requirePerson(), key(request), 'edit')
      const source = await findQuestionSource(app.db, question.id)
      return showForm(request, reply, question, {
        status: 422,
        source,
        form,
        begunWith: versionOf(request.body),
      })
    },
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile ? showConflict(request, reply, form) : null,
  })

  openForm(app, '/questions/:id/delete', questionDeletion, {
    key,
    done: () => '/questions',
    flash: (request) => ({ said: 'questions.flash.deleted', act: `${questionPage(request)}/restoration` }),
  })

  openForm(app, '/questions/:id/restoration', questionRestoration, {
    key,
    formPage: questionPage,
    done: questionPath,
    flash: () => 'questions.flash.restored',
  })
}

/** Both texts, and where it can be said the one that holds both changes. */
async function showConflict(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const { db } = request.server
  const question = await findQuestion(db, request.requirePerson(), idParam(request, 'id'), 'edit')
  const source = await findQuestionSource(db, question.id)
  const texts = { mine: form.typed.body ?? '', theirs: source.body }
  const post = { table: 'questions', id: question.id } as const
  const merged = await mergeOf(db, post, versionOf(request.body) ?? 0, texts)
  const conflicting = refuse(form, 'body', 'posts.conflict.summary')
  return showForm(request, reply, question, {
    status: 409,
    source,
    merged,
    form: conflicting,
    begunWith: null,
  })
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
  const t = translatorFor(request)
  const course = await courseOf(request, question)
  return reply.page<QuestionEditPage>(
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
  const course = await askableCourse(request.server.db, request.person, question.courseId)
  if (course === null) throw notFound()
  return course
}

function typedOf(source: QuestionSource): Record<string, string> {
  const { title, body, tags, category, lecture } = source
  return { title, body, tags: tags.join(', '), category, lecture: lecture === null ? '' : String(lecture) }
}
