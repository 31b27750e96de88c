import type { FastifyInstance, FastifyRequest } from 'fastify'
import { postOnce } from '../../database/posted-once.ts'
import type { Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { backPath } from '../../web/back.ts'
import { choice } from '../../web/fields.ts'
import { type FormState, form, freshForm, refuse, typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { parsePost } from '../../web/limits/newcomers.ts'
import { onceOf } from '../../web/once.ts'
import type { WrittenCursors } from '../../web/pages.ts'
import { idParam } from '../../web/params.ts'
import { deskPath, localPath } from '../../web/paths.ts'
import { postAnswer } from '../answers/commands.ts'
import { findLecture } from '../courses/choices.ts'
import type { Course } from '../courses/queries.ts'
import { endDraft } from '../drafts/commands.ts'
import { findQuestion, type Post } from '../questions/find.ts'
import { postBody, REPLY_BODY } from '../questions/form.ts'
import { lockQuestion } from '../questions/lock.ts'
import { PostViews } from '../questions/post-views.ts'
import { resolveIn } from '../questions/resolution.ts'
import { findQuestionTree } from '../questions/tree.ts'
import { postReply } from '../replies/commands.ts'
import { endClaim } from './claims.ts'
import { type NewerPost, newerPost, readSeen, type SeenPosts } from './newer-posts.ts'
import { showDesk } from './page.ts'
import { courseOfQuestion, type DeskPlace, draftPlace, placePath } from './place.ts'
import { filledIn } from './placeholders.ts'
import { findSavedAnswer } from './saved-answers.ts'
import { DESK_VIEWS } from './views.ts'

const ACTS = ['answer', 'stay', 'resolve', 'ask'] as const
type DeskAct = (typeof ACTS)[number]

const deskForm = form({ body: postBody(), act: choice(ACTS) })

/**
 * Answering on the desk: `act` = `answer`, `stay` (the question stays open there), `resolve` (answer and resolve), `ask` (ask back, a reply
 * under the question). `seen`: the newest posts that the form stood below; a newer one is shown, and asked about, once. With `saved`
 * nothing is posted: the desk comes again with that saved answer added to what was typed.
 */
export function registerDeskAnswers(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}?form=answer#answer`
  app.post(
    '/questions/:id/desk',
    { config: { limit: 'posting', needsPerson: true, formPage, keeps: ['body'] } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'assign')
      const course = await courseOfQuestion(request, question)
      const again = async (state: FormState, status: number, newer: NewerPost | null = null) =>
        showDesk(request, reply, course, {
          questionId: question.id,
          ...(await placeOfForm(request, course)),
          form: state,
          newer,
          status,
        })
      const saved = typedFields(request.body).saved
      if (saved !== undefined) return again(await withSaved(request, course, question, saved), 200)
      const sent = parsePost(request, deskForm)
      if (!sent.ok) return again(sent, 422)
      const { act, body } = sent.values
      if (act === 'ask' && [...body].length > REPLY_BODY.max)
        return again(refuse(sent, 'body', 'forms.tooLong', { max: REPLY_BODY.max }), 422)
      const { place, cursors } = await placeOfForm(request, course)
      const path =
        act === 'stay'
          ? localPath(
              `${placePath(course.slug, place, { ...cursors, question: question.id })}#open`,
              deskPath(course.slug),
            )
          : backPath(request, deskPath(course.slug))
      const seen = readSeen(typedFields(request.body).seen)
      try {
        await postOnce(app.db, onceOf(request, person.id), async (write) => {
          await requireSeen(write, question.id, person.id, seen)
          await post(write, act, { questionId: question.id, authorId: person.id, body })
          await endDraft(write, person.id, draftPlace(question.id))
          await endClaim(write, question.id, person.id)
          return path
        })
      } catch (error) {
        if (error instanceof PostedMeanwhile) return again(sent, 409, error.newer)
        throw error
      }
      return reply.flash(`desk.flash.${act === 'stay' ? 'answer' : act}`).redirect(path, 303)
    },
  )
}

/** Ends the transaction of a post whose form had not seen a newer one. */
class PostedMeanwhile extends Error {
  readonly newer: NewerPost

  constructor(newer: NewerPost) {
    super('somebody posted meanwhile')
    this.newer = newer
  }
}

/** @throws PostedMeanwhile */
async function requireSeen(
  write: Write,
  questionId: number,
  personId: number,
  seen: SeenPosts | null,
): Promise<void> {
  if (seen === null) return
  await lockQuestion(write, questionId)
  const newer = await newerPost(write, questionId, personId, seen)
  if (newer !== null) throw new PostedMeanwhile(newer)
}

/** One transaction: an answer that resolves is there with the resolution, or neither is. */
async function post(
  write: Write,
  act: DeskAct,
  { questionId, authorId, body }: { questionId: number; authorId: number; body: string },
): Promise<void> {
  if (act === 'ask') {
    await postReply(write, { questionId, answerId: null, authorId, body })
    return
  }
  await postAnswer(write, { questionId, authorId, body })
  if (act === 'resolve') await resolveIn(write, questionId)
}

/** Which part of the desk the form stood on, and which page of its queue. */
async function placeOfForm(
  request: FastifyRequest,
  course: Course,
): Promise<{ readonly place: DeskPlace; readonly cursors: WrittenCursors }> {
  const { view = '', lecture = '', after = null, before = null } = typedFields(request.body)
  return {
    place: {
      view: DESK_VIEWS.find((name) => name === view) ?? 'waiting',
      lecture: await findLecture(request.server.db, course.id, lecture),
    },
    cursors: { after, before },
  }
}

/** What was typed, and the saved answer below it. The asker's name in it is the one that classmates see. */
async function withSaved(
  request: FastifyRequest,
  course: Course,
  question: Post,
  saved: string,
): Promise<FormState> {
  const { db } = request.server
  const { body: typed = '' } = typedFields(request.body)
  const found = /^[1-9]\d{0,14}$/.test(saved) ? await findSavedAnswer(db, course.id, Number(saved)) : null
  const tree = await findQuestionTree(db, question.id, request.person, 'votes')
  if (found === null || tree === undefined) return freshForm({ body: typed })
  const { lecture_position: position, lecture_title: title } = tree
  const t = translatorOf(languageOfRequest(request))
  const byline = new PostViews(request, tree, null).bylineOf(tree)
  const text = filledIn(found.body, {
    name: tree.is_anonymous ? t('desk.saved.somebody') : byline.text,
    title: tree.title,
    lecture: position === null || title === null ? '' : t('questions.lecture.option', { position, title }),
  })
  return freshForm({ body: [typed.trimEnd(), text].filter((part) => part !== '').join('\n\n') })
}
