import type { Actor } from '../../kernel/rights/rights.ts'
import { type Translate, translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { languageOf, languageOfPost } from '../../text/language.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { excerpt } from '../../text/plain.ts'
import { describedPictures } from '../../web/described-pictures.ts'
import { bylineOf } from '../authors/byline.ts'
import { subjectPath } from '../notifications/view.ts'
import { KINDS, TABLES } from '../posts/kinds.ts'
import type { NewPost, News, Reader } from './contents.ts'
import { type Sender, unsubscribeUrlOf } from './list-mail.ts'

/** Longer posts are cut: mail programs cut longer mails anywhere. */
const MAX_TEXT = 6000
/** Characters of the posts of a mail, which the first question alone may exceed by a few times: mails_html_length. */
const MAX_POSTS_LENGTH = 1_000_000

/**
 * A mail of what is new, ready to render as text and as HTML: views/mailing/news.eta.
 * @param isAnswerable answers to the mail are posted under the question
 * @returns `more`: what did not fit, how many questions and announcements, and where they are
 */
export function composeNews(reader: Reader, news: readonly News[], sender: Sender, isAnswerable: boolean) {
  const { baseUrl } = sender
  const language = reader.language ?? news[0]?.courseLanguage ?? 'en'
  const t = translatorOf(language)
  const roles = news.flatMap(({ courseId, role }) => (role === null ? [] : [[courseId, role]]))
  const viewer: Actor = { ...reader, roles: Object.fromEntries(roles) }
  const [first] = news
  const questions = fitting(
    news.map((one) => mailedQuestion(one, { t, viewer, baseUrl, timeZone: reader.timeZone ?? one.timeZone })),
  )
  const left = news.length - questions.length
  return {
    t,
    language,
    subject:
      news.length === 1 && first !== undefined
        ? t('mailing.subject.one', { title: first.title, course: first.courseTitle })
        : subjectOfMany(t, news),
    questions,
    more: left === 0 ? null : { count: left, url: `${baseUrl}/notifications` },
    settingsUrl: `${baseUrl}/settings/notifications`,
    unsubscribeUrl: unsubscribeUrlOf(sender, reader.id, 'all'),
    isAnswerable,
  }
}

function fitting<Mailed extends ReturnType<typeof mailedQuestion>>(questions: readonly Mailed[]) {
  let length = 0
  const end = questions.findIndex(({ posts }) => {
    if (length > MAX_POSTS_LENGTH) return true
    for (const { text, html } of posts) length += text.length + html.length
    return false
  })
  return end < 0 ? questions : questions.slice(0, end)
}

function subjectOfMany(t: Translate, news: readonly News[]): string {
  const announcements = news.filter(({ announcementId }) => announcementId !== null).length
  const count = news.length - announcements
  return announcements === 0
    ? t('mailing.subject.many', { count })
    : t('mailing.subject.announcements', { announcements, count })
}

interface NewsReader {
  readonly t: Translate
  readonly viewer: Actor
  readonly baseUrl: string
  readonly timeZone: string
}

/** `honour`: that an answer of the reader's was accepted or endorsed, or that it waits too long; null: nothing of this. */
function mailedQuestion(news: News, look: NewsReader) {
  const path = subjectPath(news)
  return {
    title: news.title,
    lang: languageOf(news.title),
    course: news.courseTitle,
    courseLang: news.courseLanguage,
    url: `${look.baseUrl}${path}`,
    honour: news.said === null ? null : look.t(`mailing.${news.said}`),
    posts: news.posts.map((post) => mailedPost(post, news, look)),
  }
}

/** `heading`: "Mara Ilić answered". */
function mailedPost(post: NewPost, news: News, { t, viewer, baseUrl, timeZone }: NewsReader) {
  const name = bylineOf({ t, viewer }, post, news.courseId).text
  const question = { id: news.questionId ?? 0, title: news.title }
  const path =
    post.kind === 'announcement' ? subjectPath(news) : KINDS[TABLES[post.kind]].path(question, post.id)
  const isCut = post.body.length > MAX_TEXT
  const lang = languageOfPost(post.html)
  const short = isCut ? excerpt(post.html, MAX_TEXT) : mentionsAsNames(post.body)
  return {
    heading: t(`mailing.wrote.${post.reason === 'mention' ? 'mention' : post.kind}`, { name }),
    at: writtenMoment(new Date(post.writtenAt), timeZone, t).text,
    url: `${baseUrl}${path}`,
    lang,
    text: short,
    html: isCut ? '' : absolute(describedPictures(post.html, lang, t), baseUrl),
  }
}

/** Links of ours begin with the forum's address: a mail has none of its own. The sanitizer writes attributes in double quotes. */
function absolute(html: string, baseUrl: string): string {
  return html.replace(/ (href|src)="\/(?!\/)/g, (_all, name: string) => ` ${name}="${baseUrl}/`)
}

/** The mail as plain text: "-- " starts a signature in mail programs (RFC 3676, 4.3). */
export function newsText(mail: ReturnType<typeof composeNews>): string {
  const { t } = mail
  const questions = mail.questions.map(({ title, course, url, honour, posts }) =>
    [
      `# ${title}\n${course}\n${withoutSlug(url)}`,
      ...(honour === null ? [] : [honour]),
      ...posts.map(
        ({ heading, at, text, url: link }) => `${heading} · ${at}\n\n${text}\n\n${withoutSlug(link)}`,
      ),
    ].join('\n\n'),
  )
  const end = [
    t('mailing.why'),
    `${t('mailing.settings')}: ${mail.settingsUrl}`,
    `${t('mailing.unsubscribe')}: ${mail.unsubscribeUrl}`,
  ].join('\n')
  const more =
    mail.more === null ? [] : [`${t('mailing.more', { count: mail.more.count })}\n${mail.more.url}`]
  const answer = mail.isAnswerable ? [t('mailing.answer')] : []
  return `${[...answer, ...questions, ...more, `-- \n${end}`].join('\n\n')}\n`
}

/** The address without the title's words: in Korean those are lines of %EC%9E%90. The forum leads from it to the full one. */
function withoutSlug(url: string): string {
  return url.replace(/(\/(?:questions|announcements)\/\d+)\/[^/#]*/, '$1')
}
