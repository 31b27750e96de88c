import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { personOf } from '../../kernel/actor.ts'
import { choice, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { translatorFor } from '../../web/appearance.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { backPath, deskPath, localPath } from '../../web/paths.ts'
import { findLecture } from '../courses/choices.ts'
import { courseById } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { endsDraft } from '../drafts/typed.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { findQuestion } from '../posts/find.ts'
import { POST_BODY, postBody, REPLY_BODY } from '../posts/form.ts'
import { question, requireShown } from '../posts/lock.ts'
import { saidOfPost } from '../posts/mentions.ts'
import { setResolution } from '../posts/resolution.ts'
import { fewLinks } from '../posts/rules.ts'
import { writeAnswer, writeReply } from '../posts/text.ts'
import { PostViews } from '../reading/post-views.ts'
import { findQuestionTree } from '../reading/tree.ts'
import { endClaim } from './claims.ts'
import { type NewerPost, newerPost, readSeen } from './newer-posts.ts'
import { showDesk } from './page.ts'
import { draftPlace, placePath } from './place.ts'
import { filledIn } from './placeholders.ts'
import { findSavedAnswer } from './saved-answers.ts'
import { DESK_VIEWS } from './views.ts'

/**
 * Answers on the desk: `act` = `answer`, `stay` (the question stays open there), `resolve` (answer and resolve), `ask` (ask back, a
 * reply under the question). `seen`: the newest posts that its author had read, as newer-posts.ts writes it. @throws PostedMeanwhile
 */
export const answerOnDesk = operation({
  name: 'answer-on-desk',
  right: 'assign',
  find: question,
  once: true,
  input: { body: postBody(), act: choice(['answer', 'stay', 'resolve', 'ask']), seen: plain },
  completed: typedMentions(placeBelow.questions, POST_BODY.max),
  rules: [fewLinks],
  async run({ write, actor, subject, input: { body, act, seen } }) {
    const author = personOf(actor)
    const { id, courseId } = subject
    if (act === 'ask' && [...body.source].length > REPLY_BODY.max)
      throw refusal('body', 'forms.tooLong', { max: REPLY_BODY.max })
    const read = readSeen(seen)
    const newer = read === null ? null : await newerPost(write, id, author.id, read)
    if (newer !== null) throw new PostedMeanwhile(newer)
    const course = write.selectFrom('courses').select('slug').where('id', '=', courseId)
    const below = requireShown(subject.question)
    const post = { authorId: author.id, body }
    const isReply = act === 'ask'
    const postId = isReply
      ? await writeReply(write, below, { ...post, answerId: null })
      : await writeAnswer(write, below, post)
    if (act === 'resolve') await setResolution(write, id, 'resolved')
    await endClaim(write, id, author.id)
    return { id, postId, isReply, act, course: (await course.executeTakeFirstOrThrow()).slug }
  },
})

export class PostedMeanwhile extends Error {
  readonly newer: NewerPost

  constructor(newer: NewerPost) {
    super('somebody posted meanwhile')
    this.newer = newer
  }
}

/**
 * Answering on the desk: `act` as the operation has it. `seen`: the newest posts that the form stood below. With `saved` nothing is
 * posted: the desk comes again with that saved answer added to what was typed.
 */
export function registerDeskAnswers(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => idParam(request, 'id')

  async function again(
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    newer: NewerPost | null = null,
  ) {
    const question = await findQuestion(app.db, request.requirePerson(), key(request), 'assign')
    const course = await courseById(request, question.courseId)
    const place = await placeOfForm(request, course)
    return showDesk(request, reply, course, { questionId: question.id, form, newer, ...place })
  }

  openForm(app, '/questions/:id/desk', answerOnDesk, {
    key,
    formPage: (request) => `/questions/${key(request)}?form=answer#answer`,
    keeps: ['body'],
    async instead(request, reply) {
      const { saved } = typedFields(request.body)
      return saved === undefined ? null : again(request, reply, await withSaved(request, key(request), saved))
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
      return saidOfPost(
        request,
        table,
        done && { id: done.postId },
        `desk.flash.${act === 'stay' ? 'answer' : act}`,
      )
    },
    refused: again,
    failed: (request, reply, error, form) =>
      error instanceof PostedMeanwhile ? again(request, reply, { ...form, errors: [] }, error.newer) : null,
  })
}

const viewOf = (view: string | undefined) => DESK_VIEWS.find((name) => name === view) ?? 'waiting'

async function placeOfForm(request: FastifyRequest, course: Course) {
  const { view, lecture = '', after = null, before = null } = typedFields(request.body)
  return {
    place: { view: viewOf(view), lecture: await findLecture(request.server.db, course.id, lecture) },
    cursors: { after, before },
  }
}

/** What was typed, and the saved answer below it. The asker's name in it is the one that classmates see. */
async function withSaved(request: FastifyRequest, questionId: number, saved: string): Promise<FormState> {
  const { db } = request.server
  const question = await findQuestion(db, request.requirePerson(), questionId, 'assign')
  const { body: typed = '' } = typedFields(request.body)
  const found = await findSavedAnswer(db, question.courseId, saved)
  const tree = await findQuestionTree(db, question.id, request.person, 'votes')
  if (found === null || tree === undefined) return freshForm({ body: typed })
  const { lecture_position: position, lecture_title: title } = tree
  const t = translatorFor(request)
  const byline = new PostViews({ t, viewer: request.person }, tree, null).bylineOf(tree)
  const text = filledIn(found.body, {
    name: tree.is_anonymous ? t('desk.saved.somebody') : byline.text,
    title: tree.title,
    lecture: position === null || title === null ? '' : t('questions.lecture.option', { position, title }),
  })
  return freshForm({ body: [typed.trimEnd(), text].filter((part) => part !== '').join('\n\n') })
}
