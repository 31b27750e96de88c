import type { Byline } from '../../forum/authors/byline.ts'
import type { PostView, VoteView } from '../../forum/reading/post-views.ts'
import type { QuestionRow } from '../../forum/reading/row.ts'
import type { AnswerView } from '../../forum/reading/show-page.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import type { Moment } from '../../text/moment.ts'
import type { QuestionState } from '../../text/question-state.ts'

/** People, posts and rows as the components take them, made up for the page of components. */

export const HREF = '/design'
export const WRITTEN_AT: Moment = {
  iso: '2026-11-22T02:42:00.000Z',
  text: '2026.11.22 11:42',
  title: '2026.11.22 11:42 (Asia/Seoul)',
  zone: 'Asia/Seoul',
}
const PROSE = `Text with **strong**, *emphasis*, \`code\`, and a [link](https://example.org/).

> A quote

- one
- two

| status | the client hears |
|---|---|
| 409 | later, perhaps |

\`\`\`java
@GetMapping("/books") // a comment
List<Book> all() { return library.all(); }
\`\`\`
`

/** A person's name and face. @param role of staff */
export function someone(
  hue: number,
  initials: string | null,
  text: string,
  role: Byline['role'] = null,
): Byline {
  return { hue, initials, text, role, path: initials === null ? null : HREF, standIn: null }
}

export const LEARNER = someone(9, 'MK', 'Minseo Kim')
export const KOREAN = someone(3, '하린', '최하린')
export const INSTRUCTOR = someone(5, 'MI', 'Mara Ilić', 'instructor')
const ASSISTANT = someone(8, 'JT', 'Jun Tanaka', 'assistant')
const ANONYMOUS = someone(0, null, 'Anonymous classmate')

/** A row of a list in one state. */
export function aRow(title: string, state: QuestionState, author: Byline = LEARNER): QuestionRow {
  const isAnswered = state !== 'waiting'
  return {
    selectId: null,
    path: HREF,
    title,
    unread: state === 'waiting' ? ' unread' : '',
    unreadWord: state === 'waiting' ? 'New: ' : '',
    lang: /\p{Script=Hangul}/u.test(title) ? 'ko' : 'en',
    courseLang: 'en',
    answersCount: isAnswered ? 2 : 0,
    votesCount: 12,
    viewsCount: 1284,
    state,
    isPrivate: false,
    hiding: null,
    excerpt: 'Both compile and the JSON looks the same.',
    excerptLang: 'en',
    answerers: isAnswered ? [KOREAN, INSTRUCTOR] : [],
    answeredByStaff: isAnswered ? 'instructor' : null,
    isDuplicate: false,
    isEndorsed: state === 'answered',
    tags: ['rest', 'hateoas'].map((name) => ({ name, path: HREF })),
    moreTags: [],
    badge: author.role,
    author: { ...author, questionsCount: 3 },
    writtenAt: WRITTEN_AT,
    lecture: { text: 'Lecture 12 · Maturity levels', path: HREF },
    course: null,
  }
}

export const ROWS = [
  aRow('ResponseEntity or return the plain object?', 'waiting'),
  aRow('May I design a REST API without hypermedia links?', 'answered', INSTRUCTOR),
  aRow('@Valid 검증 실패 시 400은 오는데 어떤 필드가 틀렸는지 안 나와요', 'resolved', KOREAN),
  aRow('A title that is one long word: Donaudampfschifffahrtsgesellschaftskapitän', 'answered', ANONYMOUS),
]

/** Each way a vote can stand. */
export const VOTES: readonly VoteView[] = [
  { kind: 'vote', isVoted: false, count: 2 },
  { kind: 'vote', isVoted: true, count: 3 },
  { kind: 'own', isVoted: false, count: 1 },
  { kind: 'closed', isVoted: false, count: 4 },
  { kind: 'sign-in', isVoted: false, count: 0 },
].map((state, index) => ({
  ...state,
  kind: state.kind as VoteView['kind'],
  id: `vote-${index}`,
  action: HREF,
  signInPath: HREF,
}))

const NOTHING_TO_DO = {
  historyPath: null,
  editPath: null,
  deletePath: null,
  reportPath: null,
  reported: '',
  openCasePath: null,
  convertPath: null,
  anchors: [],
  leftOut: null,
  heldActs: null,
  heldFor: null,
}

/** A post by somebody. */
async function aPost(id: number, author: Byline, markdown: string): Promise<PostView> {
  const [{ html }] = await prepareMarkdown([markdown])
  return {
    id,
    html,
    lang: 'en',
    hiding: null,
    decided: [],
    fresh: '',
    author,
    badge: author.role,
    label: `post ${id}`,
    heading: `Post ${id}`,
    isAsker: author === LEARNER,
    writtenAt: WRITTEN_AT,
    editedAt: null,
    ...NOTHING_TO_DO,
  }
}

/** An answer with replies under it, before or after it was accepted. */
export async function anAnswerView(id: number, isAccepted: boolean): Promise<AnswerView> {
  const author = isAccepted ? INSTRUCTOR : ASSISTANT
  const vote: VoteView = {
    id: `vote-answer-${id}`,
    action: HREF,
    count: 3,
    isVoted: isAccepted,
    kind: 'vote',
    signInPath: HREF,
  }
  return {
    ...(await aPost(id, author, PROSE)),
    historyPath: null,
    editPath: HREF,
    deletePath: HREF,
    vote,
    isAccepted,
    endorsedBy: 'Mara Ilić',
    endorsementPath: HREF,
    permalink: `#answer-${id}`,
    acceptancePath: HREF,
    isToAccept: !isAccepted,
    replies: [
      await aPost(id * 10, LEARNER, 'Very clear, thank you.'),
      await aPost(id * 10 + 1, ANONYMOUS, 'Same here.'),
    ],
    replyForm: null,
  }
}
