import type { FastifyInstance } from 'fastify'
import { notFound } from '../../kernel/problem.ts'
import { typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { mentionablePath, questionPath } from '../../web/paths.ts'
import { type AskableCourse, askableCourse } from '../courses/choices.ts'
import { type CourseContext, pageOfCourse } from '../courses/course-page.ts'
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
    async show(request, reply, question, shown) {
      const course = await askableCourse(app.db, request.person, question.courseId)
      if (course === null) throw notFound()
      return showForm(request, reply, course, question, shown)
    },
  })
  openForm(app, '/questions/:id/edit', editQuestion, {
    ...editing,
    done: ({ question }) => questionPath(question),
    flash: (request, done) =>
      done?.isChanged === false
        ? 'forms.unchanged'
        : saidOfPost(request, 'questions', done, flashOf('edited', typedIn(request.body, ['tags']))),
  })
  registerRemoval(app, 'questions')
}

export const showForm = pageOfCourse(
  'questions/edit',
  { place: 'questions', isBelow: true, showsTexts: true },
  (
    { t, course, person }: CourseContext<AskableCourse>,
    question: Post,
    { source, form, begunWith, merged = null }: ShownForm<QuestionSource>,
  ) => ({
    title: t(person().id === question.authorId ? 'questions.edit.title' : 'questions.edit.others'),
    action: `/questions/${question.id}/edit`,
    deletePath: `/questions/${question.id}/delete`,
    backPath: questionPath(question),
    version: begunWith ?? source.version,
    // The question as it is now, where saving would replace what the author may not have seen.
    theirs: begunWith === null ? { title: source.title, body: source.body } : null,
    // Their changes of the body and the author's in one; null: none is proposed.
    merged,
    naming: namingOf(person(), question, source, form),
    ...questionFields({ t }, course, form),
    peoplePath: mentionablePath(question.id),
    head: { about: question.title },
  }),
)

function typedOf(source: QuestionSource): Record<string, string> {
  const { title, body, tags, category, lecture } = source
  return { title, body, tags: tags.join(', '), category, lecture: lecture === null ? '' : String(lecture) }
}
