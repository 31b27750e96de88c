import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../operations/posted-once.ts'
import { refuse } from '../../web/form.ts'
import { movedTo } from '../../web/moved.ts'
import { onceOf } from '../../web/once.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { announcementPath, announcementsPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { endDraft } from '../drafts/commands.ts'
import { newsDraftPlace } from '../drafts/text-form.ts'
import { findTypedBefore, reopenedForm } from '../drafts/typed.ts'
import { versionOf } from '../questions/version.ts'
import { announce, editAnnouncement } from './commands.ts'
import { findNews } from './find.ts'
import { announcementForm } from './form.ts'
import { showAnnouncement, showAnnouncements, showForm } from './pages.ts'
import { findAnnouncement } from './queries.ts'

/** What staff tell a whole course. */
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

  const config = { limit: 'posting', needsPerson: true, keeps: announcementForm.names } as const
  app.post(newPath, { config: { ...config, formPage: newPage } }, async (request, reply) => {
    const person = request.requirePerson()
    const course = await courseFor(request, 'announce')
    const form = announcementForm.parse(request.body)
    if (!form.ok) return showForm(request, reply, course, { form, announcement: null, status: 422 })
    const { title, body, corrects: correctsId } = form.values
    const path = await postOnce(app.db, onceOf(request, person.id), async (write) => {
      const id = await announce(write, { courseId: course.id, authorId: person.id, title, body, correctsId })
      if (id === null) return ''
      await endDraft(write, person.id, newsDraftPlace(newPage(request), correctsId))
      return announcementPath({ id, title })
    })
    if (path === '') {
      const refused = refuse(form, 'title', 'announcements.corrects.unknown')
      return showForm(request, reply, course, { form: refused, announcement: null, status: 422 })
    }
    noteEvent(request, 'announced', { courseId: course.id })
    return reply.flash('announcements.flash.posted').redirect(path, 303)
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

  const keeps = [...announcementForm.names, 'version']
  app.post(editPath, { config: { ...config, keeps, formPage: editPage } }, async (request, reply) => {
    const { course, announcement } = await findNews(request, idParam(request, 'id'), 'announce')
    const form = announcementForm.parse(request.body)
    const begunWith = versionOf(request.body)
    if (!form.ok) return showForm(request, reply, course, { form, announcement, status: 422, begunWith })
    const { title, body } = form.values
    const edit = { title, body, actorId: request.requirePerson().id }
    const isDone =
      begunWith !== null &&
      (await editAnnouncement(app.db, announcement.id, { ...edit, version: begunWith })) === 'done'
    const now = isDone ? announcement : ((await findAnnouncement(app.db, announcement.id)) ?? announcement)
    if (!isDone && (now.title !== title || now.body !== body)) {
      const refused = refuse(form, 'body', 'posts.conflict.summary')
      return showForm(request, reply, course, {
        form: refused,
        announcement: now,
        status: 409,
        begunWith: null,
      })
    }
    noteEvent(request, 'announcement-edited', { courseId: course.id, id: announcement.id })
    return reply
      .flash('announcements.flash.edited')
      .redirect(announcementPath({ id: announcement.id, title }), 303)
  })
}
