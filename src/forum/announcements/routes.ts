import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../kernel/problem.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { momentOf } from '../../text/moment.ts'
import { excerpt, proseText } from '../../text/plain.ts'
import { type FormState, refuse, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { announcementPath, announcementsPath, movedTo } from '../../web/paths.ts'
import { personByline } from '../authors/byline.ts'
import { type CourseContext, coursePage, pageOfCourse } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import { endDraft } from '../drafts/draft.ts'
import { newsDraftPlace } from '../drafts/text-form.ts'
import { endsDraft, findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { versionOf } from '../posts/editing.ts'
import {
  type Announcement,
  announcementEdit,
  findNews,
  listAnnouncements,
  news,
  postAnnouncement,
} from './announcement.ts'

export function registerAnnouncements(app: FastifyInstance): void {
  const shared = (parameters: readonly string[]) => ({
    config: { shared: { parameters, isForMembers: true } },
  })
  app.get('/courses/:course/announcements', shared(['after', 'before']), (request, reply) =>
    showAnnouncements(request, reply),
  )

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
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
      showForm(request, reply, await courseFor(request, 'announce'), { form, announcement: null }),
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
  ) => {
    const { course, announcement } = await findNews(request, idParam(request, 'id'), 'announce')
    return showForm(request, reply, course, { form, announcement, begunWith })
  }
  openForm(app, editPath, announcementEdit, {
    key: (request) => idParam(request, 'id'),
    formPage: editPage,
    keeps: true,
    also: endsDraft(editPage),
    done: announcementPath,
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : 'announcements.flash.edited'),
    refused: (request, reply, form) => showAgain(request, reply, form, versionOf(request.body)),
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile
        ? showAgain(request, reply, refuse(form, 'body', 'posts.conflict.summary'), null)
        : null,
  })
}

export const showAnnouncements = coursePage(
  'announcements/index',
  { place: 'announcements' },
  async (context) => {
    const { t, db, course, rendering, robots } = context
    const path = announcementsPath(course.slug)
    const page = await listPage(context, path, 'time', (asked) => listAnnouncements(db, course.id, asked))
    const texts = await prepareMarkdown(page.rows.map(({ body }) => body))
    rendering?.dependsOn(`course:${course.id}`)
    for (const { author_id } of page.rows) rendering?.dependsOn(`person:${author_id}`)
    const timeZone = await context.timeZone()
    return {
      title: t('announcements.title'),
      announcements: page.rows.map((row, index) => ({
        ...newsView(context, row, timeZone),
        bit: excerpt(texts[index]?.html ?? '', 180),
        day: writtenDate(row.published_at, timeZone, t),
      })),
      newPath: context.may('announce') ? `${path}/new` : null,
      ...page.links,
      head: { robots, canonical: path },
    }
  },
)

export const showAnnouncement = pageOfCourse(
  'announcements/show',
  { place: 'announcements', showsTexts: true },
  async (context, announcement: Announcement) => {
    const { course, viewer, rendering, robots } = context
    const { id, correction_id, edited_at } = announcement
    const timeZone = await context.timeZone()
    const own = await context.own()
    const [{ html }] = await prepareMarkdown([announcement.body])
    rendering?.dependsOn(`course:${course.id}`, `person:${announcement.author_id}`)
    return {
      ...newsView(context, announcement, timeZone),
      html,
      editedAt: edited_at === null ? null : momentOf(edited_at, timeZone),
      correctionPath: correction_id === null ? null : `/announcements/${correction_id}`,
      backPath: announcementsPath(course.slug),
      // What stands beside the button that says that it was read; empty: it was seen.
      reading: viewer === null ? null : { action: `/announcements/${id}/reading`, text: own(`news.${id}`) },
      head: { robots, canonical: announcementPath(announcement) },
    }
  },
)

interface ShownForm {
  readonly form: FormState
  /** What is edited; null: a new one. */
  readonly announcement: Announcement | null
  /** The version that the form began with; null after a conflict, when saving again is meant to win. */
  readonly begunWith?: number | null
}

export const showForm = pageOfCourse(
  'announcements/edit',
  { place: 'announcements', isForStaff: true, showsTexts: true },
  ({ t, formFields, course, robots }, { form, announcement, begunWith }: ShownForm) => {
    const path = announcementsPath(course.slug)
    const action = announcement === null ? `${path}/new` : `/announcements/${announcement.id}/edit`
    return {
      title: t(announcement === null ? 'announcements.new.title' : 'announcements.edit.title'),
      form,
      isNew: announcement === null,
      action,
      place: announcement === null ? newsDraftPlace(action, form.typed.corrects ?? null) : action,
      backPath: announcement === null ? path : announcementPath(announcement),
      version: announcement === null ? null : (begunWith ?? announcement.version),
      theirs: announcement !== null && begunWith === null ? announcement : null,
      corrects: form.typed.corrects ?? '',
      fields: formFields('announcements', news, form, {
        title: { isTitle: true, autocomplete: 'off' },
        body: { to: action },
      }),
      head: { robots },
    }
  },
)

function newsView(
  { course, may }: CourseContext,
  row: Omit<Announcement, 'correction_id'>,
  timeZone: string,
) {
  const { author_id, display_name: displayName, role, corrected_id, corrected_title: title } = row
  return {
    title: row.title,
    path: announcementPath(row),
    textLang: languageOf(`${row.title} ${proseText(row.body)}`),
    author: personByline({ id: author_id, displayName, role }),
    publishedAt: momentOf(row.published_at, timeZone),
    acts: may('announce')
      ? {
          editPath: `/announcements/${row.id}/edit`,
          correctPath: `${announcementsPath(course.slug)}/new?corrects=${row.id}`,
        }
      : null,
    corrects:
      corrected_id === null || title === null
        ? null
        : { text: title, path: announcementPath({ id: corrected_id, title }) },
  }
}
