import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { momentOf } from '../../text/moment.ts'
import { excerpt, proseText } from '../../text/plain.ts'
import { type FormState, refuse, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { ownTextOf } from '../../web/own-parts.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { announcementPath, announcementsPath, movedTo } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { endDraft } from '../drafts/draft.ts'
import { newsDraftPlace } from '../drafts/text-form.ts'
import { endsDraft, findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { versionOf } from '../posts/editing.ts'
import { POST_BODY, TITLE } from '../posts/form.ts'
import {
  type Announcement,
  announcementEdit,
  findNews,
  listAnnouncements,
  postAnnouncement,
} from './announcement.ts'

export function registerAnnouncements(app: FastifyInstance): void {
  const shared = (parameters: readonly string[]) => ({
    config: { shared: { parameters, isForMembers: true } },
  })
  app.get('/courses/:course/announcements', shared(['after', 'before']), async (request, reply) =>
    showAnnouncements(request, reply, await courseFor(request, 'read')),
  )

  const show = async (request: FastifyRequest, reply: Parameters<typeof showForm>[1]) => {
    const { course, announcement } = await findNews(request, idParam(request, 'id'), 'read')
    const path = announcementPath(announcement)
    if ((request.url.split('?')[0] ?? '') !== path) return movedTo(request, reply, path)
    return showAnnouncement(request, reply, course, announcement)
  }
  app.get('/announcements/:id', shared([]), show)
  app.get('/announcements/:id/:slug', shared([]), show)
  app.get('/announcements/:id/:slug/*', shared([]), show)
  registerWriting(app)
}

function registerWriting(app: FastifyInstance): void {
  const newPath = '/courses/:course/announcements/new'
  const newPage = (request: FastifyRequest) => `${announcementsPath(textParam(request, 'course'))}/new`
  app.get(newPath, async (request, reply) => {
    const course = await courseFor(request, 'announce')
    const corrects = queryParam(request, 'corrects') ?? ''
    const before = await findTypedBefore(request, newPage(request))
    const form = reopenedForm(request, before, { corrects })
    return showForm(request, reply, course, { form, announcement: null })
  })

  openForm(app, newPath, postAnnouncement, {
    key: (request) => textParam(request, 'course'),
    formPage: newPage,
    keeps: true,
    also: async (write, request, { correctsId }) =>
      endDraft(
        write,
        request.requirePerson().id,
        newsDraftPlace(newPage(request), correctsId),
        typedIn(request.body, ['title', 'body']),
      ),
    done: announcementPath,
    flash: () => 'announcements.flash.posted',
    refused: async (request, reply, form) =>
      showForm(request, reply, await courseFor(request, 'announce'), {
        form,
        announcement: null,
        status: 422,
      }),
  })

  const editPath = '/announcements/:id/edit'
  const editPage = (request: FastifyRequest) => `/announcements/${idParam(request, 'id')}/edit`
  app.get(editPath, async (request, reply) => {
    const { course, announcement } = await findNews(request, idParam(request, 'id'), 'announce')
    const { title, body } = announcement
    const before = await findTypedBefore(request, editPage(request))
    return showForm(request, reply, course, {
      form: reopenedForm(request, before, { title, body }),
      announcement,
      begunWith: before === null ? announcement.version : versionOf(before.fields),
    })
  })

  const showAgain = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: FormState,
    begunWith: number | null,
    status: 409 | 422,
  ) => {
    const { course, announcement } = await findNews(request, idParam(request, 'id'), 'announce')
    return showForm(request, reply, course, { form, announcement, status, begunWith })
  }
  openForm(app, editPath, announcementEdit, {
    key: (request) => idParam(request, 'id'),
    formPage: editPage,
    keeps: true,
    also: endsDraft(editPage),
    done: announcementPath,
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'announcements.flash.edited'),
    refused: (request, reply, form) => showAgain(request, reply, form, versionOf(request.body), 422),
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? showAgain(request, reply, refuse(form, 'body', 'posts.conflict.summary'), null, 409)
        : null,
  })
}

export async function showAnnouncements(request: FastifyRequest, reply: FastifyReply, course: Course) {
  const t = translatorFor(request)
  const page = await listAnnouncements(request.server.db, course.id, pageRequest(request, 'time'))
  const texts = await prepareMarkdown(page.rows.map(({ body }) => body))
  request.rendering?.dependsOn(`course:${course.id}`)
  for (const { author_id } of page.rows) request.rendering?.dependsOn(`person:${author_id}`)
  const path = announcementsPath(course.slug)
  const isStaff = may(request.person, 'announce', placeOf(course))
  return reply.page(
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
  return reply.page(
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
      // What stands beside the button that says that it was read; empty: it was seen.
      reading:
        request.person === null ? null : { action: `/announcements/${id}/reading`, text: own(`news.${id}`) },
    },
    { ...(await headOf(request, course)), canonical: announcementPath(announcement), showsTexts: true },
  )
}

interface ShownForm {
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
  return reply.page(
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

function newsView(request: FastifyRequest, course: Course, row: NewsRow) {
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
    bar: await barOf(contextOf(request), course, 'announcements'),
    ...(isVisible(null, course) ? {} : { robots: 'noindex' as const }),
  }
}
