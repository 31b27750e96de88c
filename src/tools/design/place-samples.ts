import type { CourseAside } from '../../forum/courses/aside.ts'
import type { NotificationView } from '../../forum/notifications/view.ts'
import type { ReplyFormView } from '../../forum/reading/post-views.ts'
import type { DeletedPostView, DuplicateView } from '../../forum/reading/show-page.ts'
import type { FacetView, ResultView } from '../../forum/search/results.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { freshForm } from '../../web/form.ts'
import type { CourseBar } from '../../web/shell.ts'
import { HREF, INSTRUCTOR, KOREAN, LEARNER, WRITTEN_AT } from './samples.ts'

/** Places of a course, what is found and what is told, made up for the page of components. */

export const BAR: CourseBar = {
  text: 'RESTful Web Services with Java',
  path: HREF,
  lang: 'en',
  accent: 'green',
  isHeading: false,
  isArchived: true,
  following: null,
  places: ['Questions', 'Lectures', 'Desk'].map((text, index) => ({
    text,
    path: `${HREF}?place=${index}`,
    current: index === 0 ? 'page' : null,
    count: text === 'Desk' ? 17 : null,
    slot: null,
  })),
}

export const ASIDE: CourseAside = {
  questionsCount: 1284,
  unresolvedCount: 17,
  waitingCount: 9,
  lectures: ['Resources, not actions', 'Media types'].map((title, index) => ({
    position: index + 3,
    title,
    path: `${HREF}?lecture=${index}`,
    unresolvedCount: index * 2,
  })),
  allLecturesPath: null,
  teachers: [INSTRUCTOR],
  news: null,
  faq: [{ text: 'Which Java do we use?', path: HREF }],
  allowsAnonymous: false,
  promised: null,
  firstWithin: null,
}

export const FACETS: readonly FacetView[] = [
  {
    title: 'State',
    links: [
      { text: 'Resolved', path: `${HREF}?is=resolved`, count: 12, isCurrent: true },
      { text: 'Unanswered', path: `${HREF}?is=unanswered`, count: 3, isCurrent: false },
    ],
  },
]

/** Found in the question, and in an answer that staff endorsed. */
export const RESULTS: readonly ResultView[] = [
  { answerPath: null, isEndorsed: false, state: 'waiting' as const },
  { answerPath: HREF, isEndorsed: true, state: 'resolved' as const },
].map((state) => ({
  ...state,
  sign: null,
  courseLang: 'en' as const,
  snippetLang: 'en',
  path: HREF,
  title: [
    { text: 'Why is it ', isMarked: false },
    { text: '404', isMarked: true },
    { text: '?', isMarked: false },
  ],
  lang: 'en',
  answersCount: 2,
  votesCount: 3,
  snippet: [
    { text: 'The route ends in a slash: ', isMarked: false },
    { text: '404', isMarked: true },
  ],
  tags: [{ name: 'http', path: HREF }],
  moreTags: [{ name: 'rest', path: HREF }],
  author: LEARNER,
  badge: null,
  course: { text: 'REST', path: HREF },
  writtenAt: WRITTEN_AT,
}))

const TOLD_REPORTS = ['Question “May I?”', 'Answer to “Why is it 404?”'].map((post) => ({
  ...{ post, lang: null, outcome: 'hidden', path: HREF },
}))

/** New, read, by nobody in particular, and of several reports. */
export const TOLD: readonly NotificationView[] = [
  { isSeen: false, byline: INSTRUCTOR, text: 'answered', reports: [] },
  { isSeen: true, byline: KOREAN, text: 'and 2 others replied to you in', reports: [] },
  { isSeen: true, byline: null, text: 'Your answer was accepted:', reports: [] },
  { isSeen: true, byline: null, text: 'Staff acted on 2 of your reports', reports: TOLD_REPORTS },
].map((told) => ({
  ...told,
  path: HREF,
  openingPath: HREF,
  isOfCase: false,
  more: null,
  title: told.reports.length > 0 ? '' : 'May I design a REST API without hypermedia links?',
  lang: null,
  bit: told.byline === null ? '' : 'Yes, and most people do.',
  bitLang: null,
  course: 'REST',
  courseLang: 'en',
  at: WRITTEN_AT,
}))

export const DELETED_POSTS: readonly DeletedPostView[] = [
  {
    kind: 'answer',
    id: 9001,
    author: 'Minseo Kim',
    deletedAt: WRITTEN_AT.text,
    html: '<p>Taken back.</p>',
    lang: null,
    decided: [],
    restorePath: HREF,
  },
]

export const DUPLICATE: DuplicateView = {
  text: 'PUT or POST?',
  path: HREF,
  linkedBy: 'Mara Ilić',
  answersCount: 4,
  undoPath: HREF,
}

const [FORMULAS] = await prepareMarkdown([
  '$e^{i\\pi} + 1 = 0$, and:\n\n$$\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$$',
])
export const FORMULAS_HTML = FORMULAS.html

/** Open with a mistake, as it comes back from the server. */
export const REPLY_FORM: ReplyFormView = {
  id: 'd-reply',
  label: 'answer by Minseo Kim',
  action: HREF,
  to: 'Minseo Kim',
  isOwn: false,
  reopens: false,
  canResolve: true,
  form: { ...freshForm(), errors: [{ field: 'body', message: { key: 'posts.body.short' } }] },
  max: 5000,
  anonymity: { isChecked: true, isGone: false },
  peoplePath: HREF,
}
