import type { FastifyRequest } from 'fastify'
import type { Role } from '../database/schema.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { initialsOf } from '../people/initials.ts'
import { may, type Written } from '../rights.ts'
import { formatDay } from '../text/dates.ts'
import { languageOf } from '../text/language.ts'
import { plainText, proseText } from '../text/plain.ts'
import type { FormState } from '../web/form.ts'
import { languageOfRequest } from '../web/language.ts'
import { coursePath, pathWith, personPath, questionPath, signInPath, tagPath } from '../web/paths.ts'
import { lectureLink, momentOf } from './row.ts'
import type { AnswerView, PostView, QuestionPage, ReplyFormView, VoteView } from './show-view.ts'
import { ANSWER_SORTS, type AnswerNode, type AnswerSort, type QuestionTree, type ReplyNode } from './tree.ts'

/** A form of this page with what was typed into it. */
export interface OpenForm {
  /** 'answer', 'reply-question' or 'reply-answer-12'. */
  readonly id: string
  readonly form: FormState
}

const EMPTY: FormState = { typed: {}, errors: [] }

/** Everything the question page shows, for whoever looks at it. */
export function questionPage(
  request: FastifyRequest,
  tree: QuestionTree,
  sort: AnswerSort,
  open: OpenForm | null,
  related: QuestionPage['related'],
): QuestionPage {
  return new QuestionPageMaker(request, tree, sort, open, related).make()
}

class QuestionPageMaker {
  private readonly request: FastifyRequest
  private readonly tree: QuestionTree
  private readonly sort: AnswerSort
  private readonly open: OpenForm | null
  private readonly related: QuestionPage['related']
  private readonly t
  private readonly path
  private readonly timeZone

  constructor(
    request: FastifyRequest,
    tree: QuestionTree,
    sort: AnswerSort,
    open: OpenForm | null,
    related: QuestionPage['related'],
  ) {
    this.related = related
    this.request = request
    this.tree = tree
    this.sort = sort
    this.open = open
    this.t = translatorOf(languageOfRequest(request))
    this.path = questionPath(tree)
    this.timeZone = request.person?.timeZone ?? tree.time_zone
  }

  make(): QuestionPage {
    const { tree, t } = this
    const course = coursePath(tree.course_slug)
    const isDefault = tree.category_slug === 'questions-and-answers'
    return {
      title: tree.title,
      description: plainText(tree.body_html).slice(0, 200),
      question: this.question(course),
      course: {
        text: tree.course_title,
        path: course,
        slug: tree.course_slug,
        field: tree.field,
        category: isDefault ? t('questions.category.default') : tree.category_name,
      },
      answers: tree.answers.map((answer) => this.answer(answer)),
      answerSorts: ANSWER_SORTS.map((name) => ({
        text: t(`answers.sort.${name}`),
        path: `${pathWith(this.path, { answers: name === 'votes' ? null : name })}#answers`,
        isCurrent: name === this.sort,
      })),
      answerForm: this.mayWrite()
        ? { action: `/questions/${tree.id}/answers`, form: this.formOf('answer') }
        : null,
      signInPath: signInPath(`${this.path}#answer`),
      following: {
        action: this.mayWrite() ? `/questions/${tree.id}/following` : null,
        count: tree.follows_count ?? 0,
        isFollowed: Boolean(tree.is_followed),
      },
      related: this.related,
    }
  }

  private question(course: string): QuestionPage['question'] {
    const { tree, t } = this
    const mayResolve =
      tree.deleted_at === null && may(this.request.person, 'resolve', this.written(tree.author_id))
    return {
      ...this.post(tree, `/questions/${tree.id}`),
      writtenAt: momentOf(tree.written_at, this.timeZone),
      title: tree.title,
      titleLang: languageOf(tree.title),
      vote: this.vote(tree, `/questions/${tree.id}/votes`, this.path),
      isResolved: tree.status === 'resolved',
      viewsCount: tree.views_count,
      authorQuestionsCount: tree.questions_count,
      tags: tree.tags.map(({ name }) => ({ name, path: tagPath(name) })),
      lecture: lectureLink(t, tree, course),
      resolutionPath: mayResolve ? `/questions/${tree.id}/resolution` : null,
      replies: this.repliesTo(null),
      replyForm: this.replyForm('reply-question', `/questions/${tree.id}/replies`, tree.display_name),
    }
  }

  private answer(answer: AnswerNode): AnswerView {
    const anchor = `${this.path}#answer-${answer.id}`
    const mayAccept =
      this.tree.deleted_at === null && may(this.request.person, 'accept', this.written(answer.author_id))
    return {
      ...this.post(answer, `/answers/${answer.id}`),
      vote: this.vote(answer, `/answers/${answer.id}/votes`, anchor),
      isAccepted: answer.id === this.tree.accepted_answer_id,
      permalink: anchor,
      acceptancePath: mayAccept ? `/answers/${answer.id}/acceptance` : null,
      replies: this.repliesTo(answer.id),
      replyForm: this.replyForm(
        `reply-answer-${answer.id}`,
        `/answers/${answer.id}/replies`,
        answer.display_name,
      ),
    }
  }

  private repliesTo(answerId: number | null): PostView[] {
    return this.tree.replies
      .filter((reply) => reply.answer_id === answerId)
      .map((reply) => {
        const at = new Date(reply.written_at)
        const writtenAt = { iso: at.toISOString(), text: formatDay(at, this.timeZone) }
        return { ...this.post(reply, `/replies/${reply.id}`), writtenAt }
      })
  }

  private post(node: QuestionTree | AnswerNode | ReplyNode, path: string): PostView {
    const person = this.request.person
    const written = this.written(node.author_id)
    return {
      id: node.id,
      html: node.body_html,
      lang: languageOf(proseText(node.body_html)),
      author: {
        text: node.display_name,
        path: personPath({ id: node.author_id, displayName: node.display_name }),
        initials: initialsOf(node.display_name),
      },
      role: badgeOf(node.role),
      isAsker: node.author_id === this.tree.author_id,
      writtenAt: momentOf(new Date(node.written_at), this.timeZone),
      editedAt: node.edited_at === null ? null : momentOf(new Date(node.edited_at), this.timeZone),
      editPath: may(person, 'edit', written) ? `${path}/edit` : null,
      deletePath: may(person, 'delete', written) ? `${path}/delete` : null,
    }
  }

  private vote(node: QuestionTree | AnswerNode, action: string, anchor: string): VoteView {
    const person = this.request.person
    const kind =
      person === null ? 'sign-in' : may(person, 'vote', this.written(node.author_id)) ? 'vote' : 'own'
    return {
      action,
      count: node.votes_count,
      isVoted: Boolean(node.is_voted),
      kind,
      signInPath: signInPath(anchor),
    }
  }

  private replyForm(id: string, action: string, to: string): ReplyFormView | null {
    return this.mayWrite() ? { id, action, to, form: this.formOf(id) } : null
  }

  private mayWrite(): boolean {
    return (
      this.tree.deleted_at === null && may(this.request.person, 'answer', this.written(this.tree.author_id))
    )
  }

  private formOf(id: string): FormState {
    return this.open?.id === id ? this.open.form : EMPTY
  }

  private written(authorId: number): Written {
    const { course_id: courseId, is_public: isPublic, author_id: askerId } = this.tree
    return { courseId, isPublic, authorId, askerId }
  }
}

function badgeOf(role: Role | null): 'instructor' | 'assistant' | null {
  return role === 'instructor' || role === 'assistant' ? role : null
}
