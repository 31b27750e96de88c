import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourse } from '../courses/choices.ts'
import { barOf } from '../courses/course-bar.ts'
import { registerEditPage, type ShownForm } from '../posts/editing.ts'
import type { Post } from '../posts/find.ts'
import { flashOf } from '../posts/form.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { registerRemoval } from '../posts/removal.ts'
import { findQuestionSource, type Naming, namingOf, type QuestionSource } from '../posts/source.ts'
import { type QuestionFields, questionFields } from './ask-pages.ts'
import { editQuestion } from './edit-operations.ts'

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

export function registerQuestionEditing(app: FastifyInstance): void {
  const editing = registerEditPage(app, {
    table: 'questions',
    findSource: (id) => findQuestionSource(app.db, id),
    typedOf,
    show: showForm,
  })
  openForm(app, '/questions/:id/edit', editQuestion, {
    ...editing,
    done: ({ question }) => questionPath(question),
    flash: (request, done) =>
      done?.isChanged === false
        ? 'forms.unchanged'
        : saidOfPost(request, 'questions', done?.id, flashOf('edited', typedIn(request.body, ['tags']))),
  })
  registerRemoval(app, 'questions')
}

async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  question: Post,
  { status, source, form, begunWith, merged = null }: ShownForm<QuestionSource>,
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
