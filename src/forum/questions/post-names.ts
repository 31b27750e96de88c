import type { Translate } from '../../messages/catalogue.ts'
import type { Byline } from '../authors/byline.ts'
import type { PostView } from './show-view.ts'
import type { AnswerNode, QuestionTree, ReplyNode } from './tree.ts'

type Node = QuestionTree | AnswerNode | ReplyNode
/** What an answer's heading says of it. */
type AnswerState = 'accepted' | 'endorsed' | 'both' | 'none'

function answerStateOf(answer: AnswerNode, tree: QuestionTree): AnswerState {
  const [isAccepted, isEndorsed] = [answer.id === tree.accepted_answer_id, answer.endorsed_by !== null]
  if (isAccepted) return isEndorsed ? 'both' : 'accepted'
  return isEndorsed ? 'endorsed' : 'none'
}

/** How the posts of a page are named in headings and beside their controls. The second answer of a person has its number. */
export class PostNames {
  private readonly t: Translate
  private readonly counts = new Map<string, number>()
  private readonly labels = new Map<Node, string>()

  constructor(t: Translate) {
    this.t = t
  }

  /** To be asked once for each post, in the order of the page. */
  of(node: Node, tree: QuestionTree, author: Byline): Pick<PostView, 'label' | 'heading'> {
    const { t } = this
    if (node === tree) return { label: this.keep(node, t('posts.label.question')), heading: '' }
    const kind = 'endorsed_by' in node ? 'answer' : 'reply'
    const name = this.numbered(kind, author.text)
    const role = author.role ?? 'none'
    return {
      label: this.keep(node, t(`posts.label.${kind}`, { name })),
      heading:
        'endorsed_by' in node
          ? t('answers.heading', { name, role, state: answerStateOf(node, tree) })
          : t('replies.heading', { name, role }),
    }
  }

  labelOf(node: Node): string {
    return this.labels.get(node) ?? ''
  }

  private keep(node: Node, label: string): string {
    this.labels.set(node, label)
    return label
  }

  private numbered(kind: string, name: string): string {
    const key = `${kind} ${name}`
    const number = (this.counts.get(key) ?? 0) + 1
    this.counts.set(key, number)
    return number === 1 ? name : this.t('posts.label.again', { name, number })
  }
}
