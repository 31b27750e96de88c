import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EditedMeanwhile } from '../../operations/problem.ts'
import { type FormState, refuse, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { announcementPath, announcementsPath, movedTo } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { endDraft } from '../drafts/draft.ts'
import { newsDraftPlace } from '../drafts/text-form.ts'
import { endsDraft, findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { versionOf } from '../posts/begun-with.ts'
import { findNews } from './announcement.ts'
import { announcementEdit, postAnnouncement } from './operations.ts'
import { showAnnouncement, showAnnouncements, showForm } from './pages.ts'

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
