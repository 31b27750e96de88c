import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import type { WrittenCursors } from '../../web/pages.ts'
import { idParam } from '../../web/params.ts'
import { backPath, deskPath, localPath } from '../../web/paths.ts'
import { findLecture } from '../courses/choices.ts'
import type { Course } from '../courses/queries.ts'
import { endsDraft } from '../drafts/typed.ts'
import { findQuestion } from '../posts/find.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { PostViews } from '../questions/post-views.ts'
import { findQuestionTree } from '../questions/tree.ts'
import type { NewerPost } from './newer-posts.ts'
import { answerOnDesk, PostedMeanwhile } from './operations.ts'
import { showDesk } from './page.ts'
import { courseOfQuestion, type DeskPlace, draftPlace, placePath } from './place.ts'
import { filledIn } from './placeholders.ts'
import { findSavedAnswer } from './saved-answers.ts'
import { DESK_VIEWS } from './views.ts'

/**
 * Answering on the desk: `act` as the operation has it. `seen`: the newest posts that the form stood below. With `saved` nothing is
 * posted: the desk comes again with that saved answer added to what was typed.
 */
export function registerDeskAnswers(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => idParam(request, 'id')

  /** The desk again, with what was typed. */
  async function again(
    request: FastifyRequest,
    reply: FastifyReply,
    shown: { readonly form: FormState; readonly status: number; readonly newer?: NewerPost },
  ) {
    const question = await findQuestion(app.db, request.requirePerson(), key(request), 'assign')
    const course = await courseOfQuestion(request, question)
    const place = await placeOfForm(request, course)
    return showDesk(request, reply, course, { questionId: question.id, newer: null, ...place, ...shown })
  }

  openForm(app, '/questions/:id/desk', answerOnDesk, {
    key,
    formPage: (request) => `/questions/${key(request)}?form=answer#answer`,
    keeps: ['body'],
    async instead(request, reply) {
      const { saved } = typedFields(request.body)
      if (saved === undefined) return null
      return again(request, reply, { form: await withSaved(request, key(request), saved), status: 200 })
    },
    also: endsDraft((request) => draftPlace(key(request))),
    done({ id, act, course }, request) {
      const desk = deskPath(course)
      if (act !== 'stay') return backPath(request, desk)
      const { view, lecture = '', after = null, before = null } = typedFields(request.body)
      const position = /^[1-9]\d{0,5}$/.test(lecture) ? Number(lecture) : null
      const place = { view: viewOf(view), lecture: position === null ? null : { position } }
      return localPath(`${placePath(course, place, { after, before, question: id })}#open`, desk)
    },
    flash(request, done) {
      const { act } = typedFields(request.body)
      const table = done?.isReply === true ? 'replies' : 'answers'
      return saidOfPost(request, table, done?.postId, `desk.flash.${act === 'stay' ? 'answer' : act}`)
    },
    refused: (request, reply, form) => again(request, reply, { form, status: 422 }),
    failed: (request, reply, error, form) =>
      error instanceof PostedMeanwhile
        ? again(request, reply, { form: { ...form, errors: [] }, status: 409, newer: error.newer })
        : null,
  })
}

const viewOf = (view: string | undefined) => DESK_VIEWS.find((name) => name === view) ?? 'waiting'

/** Which part of the desk the form stood on, and which page of its queue. */
async function placeOfForm(
  request: FastifyRequest,
  course: Course,
): Promise<{ readonly place: DeskPlace; readonly cursors: WrittenCursors }> {
  const { view, lecture = '', after = null, before = null } = typedFields(request.body)
  return {
    place: {
      view: viewOf(view),
      lecture: await findLecture(request.server.db, course.id, lecture),
    },
    cursors: { after, before },
  }
}

/** What was typed, and the saved answer below it. The asker's name in it is the one that classmates see. */
async function withSaved(request: FastifyRequest, questionId: number, saved: string): Promise<FormState> {
  const { db } = request.server
  const question = await findQuestion(db, request.requirePerson(), questionId, 'assign')
  const { body: typed = '' } = typedFields(request.body)
  const found = /^[1-9]\d{0,14}$/.test(saved)
    ? await findSavedAnswer(db, question.courseId, Number(saved))
    : null
  const tree = await findQuestionTree(db, question.id, request.person, 'votes')
  if (found === null || tree === undefined) return freshForm({ body: typed })
  const { lecture_position: position, lecture_title: title } = tree
  const t = translatorFor(request)
  const byline = new PostViews(request, tree, null).bylineOf(tree)
  const text = filledIn(found.body, {
    name: tree.is_anonymous ? t('desk.saved.somebody') : byline.text,
    title: tree.title,
    lecture: position === null || title === null ? '' : t('questions.lecture.option', { position, title }),
  })
  return freshForm({ body: [typed.trimEnd(), text].filter((part) => part !== '').join('\n\n') })
}
