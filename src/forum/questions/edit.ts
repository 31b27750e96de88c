import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourse } from '../courses/choices.ts'
import { barOf } from '../courses/course-bar.ts'
import { registerEditPage, type ShownForm } from '../posts/editing.ts'
import type { Post } from '../posts/find.ts'
import { flashOf } from '../posts/form.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { registerRemoval } from '../posts/removal.ts'
import { findQuestionSource, namingOf, type QuestionSource } from '../posts/source.ts'
import { questionFields } from './ask-pages.ts'
import { editQuestion } from './edit-operations.ts'

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
  shown: ShownForm<QuestionSource>,
) {
  const course = await askableCourse(request.server.db, request.person, question.courseId)
  if (course === null) throw notFound()
  return reply.page('questions/edit', questionEditPage(request, question, course, shown), {
    status: shown.status,
    about: question.title,
    showsTexts: true,
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'questions', true),
  })
}

export function questionEditPage(
  request: FastifyRequest,
  question: Post,
  course: AskableCourse,
  { source, form, begunWith, merged = null }: Omit<ShownForm<QuestionSource>, 'status'>,
) {
  const t = translatorFor(request)
  return {
    title: t(request.person?.id === question.authorId ? 'questions.edit.title' : 'questions.edit.others'),
    action: `/questions/${question.id}/edit`,
    deletePath: `/questions/${question.id}/delete`,
    backPath: questionPath(question),
    version: begunWith ?? source.version,
    // The question as it is now, where saving would replace what the author may not have seen.
    theirs: begunWith === null ? { title: source.title, body: source.body } : null,
    // Their changes of the body and the author's in one; null: none is proposed.
    merged,
    naming: namingOf(request.requirePerson(), question, source, form),
    ...questionFields(request, course, form),
    peoplePath: mentionablePath(question.id),
  }
}

function typedOf(source: QuestionSource): Record<string, string> {
  const { title, body, tags, category, lecture } = source
  return { title, body, tags: tags.join(', '), category, lecture: lecture === null ? '' : String(lecture) }
}
