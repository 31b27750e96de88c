import type { FastifyReply, FastifyRequest } from 'fastify'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { may, placeOf } from '../../rights/rights.ts'
import { isVisible } from '../../rights/visibility.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { type Moment, momentOf } from '../../text/moment.ts'
import { excerpt, proseText } from '../../text/plain.ts'
import type { FormState } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { ownTextOf } from '../../web/own-parts.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { announcementPath, announcementsPath } from '../../web/paths.ts'
import { type Byline, personByline } from '../authors/byline.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { newsDraftPlace } from '../drafts/text-form.ts'
import { POST_BODY, TITLE } from '../posts/form.ts'
import { type Announcement, listAnnouncements } from './announcement.ts'

interface AnnouncementsPage extends PageLinks {
  readonly announcements: readonly (NewsView & {
    readonly bit: string
    readonly day: Moment
    readonly corrects: { readonly text: string; readonly path: string } | null
    /** null for those who may not. */
    readonly acts: { readonly editPath: string; readonly correctPath: string } | null
  })[]
  /** null for those who may not. */
  readonly newPath: string | null
}

interface NewsView {
  readonly title: string
  readonly path: string
  readonly textLang: string | null
  readonly author: Byline
  readonly publishedAt: Moment
}

interface AnnouncementPage extends NewsView {
  readonly html: string
  readonly editedAt: Moment | null
  readonly corrects: { readonly text: string; readonly path: string } | null
  readonly correctionPath: string | null
  readonly editPath: string | null
  readonly correctPath: string | null
  readonly backPath: string
  /** Says that it was read; null for visitors. `text`: what stands beside the button; empty: it was seen. */
  readonly reading: { readonly action: string; readonly text: string } | null
}

interface AnnouncementFormPage {
  readonly form: FormState
  readonly action: string
  /** Of its draft. */
  readonly place: string
  readonly backPath: string
  readonly version: number | null
  readonly theirs: { readonly title: string; readonly body: string } | null
  readonly corrects: string
  readonly isNew: boolean
  readonly max: { readonly title: number; readonly body: number }
}

export async function showAnnouncements(request: FastifyRequest, reply: FastifyReply, course: Course) {
  const t = translatorFor(request)
  const page = await listAnnouncements(request.server.db, course.id, pageRequest(request, 'time'))
  const texts = await prepareMarkdown(page.rows.map(({ body }) => body))
  request.rendering?.dependsOn(`course:${course.id}`)
  for (const { author_id } of page.rows) request.rendering?.dependsOn(`person:${author_id}`)
  const path = announcementsPath(course.slug)
  const isStaff = may(request.person, 'announce', placeOf(course))
  return reply.page<AnnouncementsPage>(
    'announcements/index',
    {
      title: t('announcements.title'),
      announcements: page.rows.map((row, index) => ({
        ...newsView(request, course, row),
        bit: excerpt(texts[index]?.html ?? '', 180),
        day: writtenDate(row.published_at, request.person?.timeZone ?? course.timeZone, t),
        corrects: correctedBy(row),
        acts: isStaff
          ? { editPath: `/announcements/${row.id}/edit`, correctPath: `${path}/new?corrects=${row.id}` }
          : null,
      })),
      newPath: isStaff ? `${path}/new` : null,
      ...pageLinks(page, ({ published_at, id }) => ({ value: published_at.getTime(), id }), path),
    },
    { ...(await headOf(request, course)), canonical: path },
  )
}

export async function showAnnouncement(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  announcement: Announcement,
) {
  const { id, correction_id, edited_at } = announcement
  const isStaff = may(request.person, 'announce', placeOf(course))
  const timeZone = request.person?.timeZone ?? course.timeZone
  const own = await ownTextOf(request)
  const [{ html }] = await prepareMarkdown([announcement.body])
  request.rendering?.dependsOn(`course:${course.id}`)
  request.rendering?.dependsOn(`person:${announcement.author_id}`)
  return reply.page<AnnouncementPage>(
    'announcements/show',
    {
      ...newsView(request, course, announcement),
      html,
      editedAt: edited_at === null ? null : momentOf(edited_at, timeZone),
      corrects: correctedBy(announcement),
      correctionPath: correction_id === null ? null : `/announcements/${correction_id}`,
      editPath: isStaff ? `/announcements/${id}/edit` : null,
      correctPath: isStaff ? `${announcementsPath(course.slug)}/new?corrects=${id}` : null,
      backPath: announcementsPath(course.slug),
      reading:
        request.person === null ? null : { action: `/announcements/${id}/reading`, text: own(`news.${id}`) },
    },
    { ...(await headOf(request, course)), canonical: announcementPath(announcement), showsTexts: true },
  )
}

export interface ShownForm {
  readonly form: FormState
  readonly status?: number
  /** What is edited; null: a new one. */
  readonly announcement: Announcement | null
  /** The version that the form began with; null after a conflict, when saving again is meant to win. */
  readonly begunWith?: number | null
}

export async function showForm(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  shown: ShownForm,
) {
  const t = translatorFor(request)
  const { form, announcement, status = 200, begunWith } = shown
  const path = announcementsPath(course.slug)
  const action = announcement === null ? `${path}/new` : `/announcements/${announcement.id}/edit`
  return reply.page<AnnouncementFormPage>(
    'announcements/edit',
    {
      title: t(announcement === null ? 'announcements.new.title' : 'announcements.edit.title'),
      form,
      isNew: announcement === null,
      action,
      place: announcement === null ? newsDraftPlace(action, form.typed.corrects ?? null) : action,
      backPath: announcement === null ? path : announcementPath(announcement),
      version: announcement === null ? null : (begunWith ?? announcement.version),
      theirs: announcement !== null && begunWith === null ? announcement : null,
      corrects: form.typed.corrects ?? '',
      max: { title: TITLE.max, body: POST_BODY.max },
    },
    { status, ...(await headOf(request, course)), isForStaff: true, showsTexts: true },
  )
}

function correctedBy({
  corrected_id: id,
  corrected_title: title,
}: Pick<Announcement, 'corrected_id' | 'corrected_title'>) {
  return id === null || title === null ? null : { text: title, path: announcementPath({ id, title }) }
}

function newsView(request: FastifyRequest, course: Course, row: NewsRow): NewsView {
  const { author_id: id, display_name: displayName, role } = row
  return {
    title: row.title,
    path: announcementPath(row),
    textLang: languageOf(`${row.title} ${proseText(row.body)}`),
    author: personByline({ id, displayName, role }),
    publishedAt: momentOf(row.published_at, request.person?.timeZone ?? course.timeZone),
  }
}

type NewsRow = Pick<
  Announcement,
  'id' | 'title' | 'body' | 'author_id' | 'display_name' | 'role' | 'published_at'
>

async function headOf(request: FastifyRequest, course: Course) {
  return {
    course: course.slug,
    bar: await barOf(request, course, 'announcements'),
    ...(isVisible(null, course) ? {} : { robots: 'noindex' as const }),
  }
}
