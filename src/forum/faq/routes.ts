import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { EditedMeanwhile, notFound } from '../../operations/problem.ts'
import { type FormState, refuse, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { faqPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { versionOf } from '../posts/begun-with.ts'
import { faqChange, faqEntry, faqMove, STATES } from './operations.ts'
import { type ShownFaq, showFaq } from './page.ts'
import { findEntry } from './queries.ts'

export function registerFaq(app: FastifyInstance): void {
  const shared = {
    config: { shared: { parameters: [], personalParameters: ['kept', 'edit'], isForMembers: true } },
  }
  const path = '/courses/:course/faq'
  app.get(path, shared, async (request, reply) => {
    const course = await courseFor(request, 'read')
    const kept = await findKeptForm(request)
    const editing = Number(queryParam(request, 'edit') ?? 0)
    return showFaq(request, reply, course, kept === null ? { editing } : restored(request, kept))
  })

  openForm(app, path, faqEntry, {
    key: (request) => textParam(request, 'course'),
    formPage: (request) => faqPath(textParam(request, 'course')),
    keeps: true,
    done: ({ slug }) => faqPath(slug),
    flash(request, done) {
      const wished = STATES.find((state) => state === typedFields(request.body).state)
      return `faq.flash.${done?.state ?? wished ?? 'proposed'}`
    },
    refused: async (request, reply, form) =>
      showFaq(request, reply, await courseFor(request, 'propose-faq'), { form, status: 422 }),
  })
  const key = (request: FastifyRequest) => idParam(request, 'id')
  openForm(app, '/faq/:id', faqChange, {
    key,
    // A decision alone has no text to keep.
    keeps: ['entry', 'version', 'title', 'body', 'position'],
    done: ({ slug }) => faqPath(slug),
    flash: (_, done) => (done?.isChanged === false ? 'forms.unchanged' : `faq.flash.${done?.state}`),
    refused: async (request, reply, form) => {
      const { entry, course } = await found(request)
      const begunWith = versionOf(request.body)
      const change = { entryId: entry.id, form, begunWith, isOvertaken: false }
      return showFaq(request, reply, course, { change, status: 422 })
    },
    failed: (request, reply, error, form) =>
      error instanceof EditedMeanwhile ? showConflict(request, reply, form) : null,
  })
  openForm(app, '/faq/:id/move', faqMove, {
    key,
    done: ({ slug, id }) => `${faqPath(slug)}#faq-${id}`,
    refused: async () => {
      throw notFound()
    },
  })
}

/** The entry that an address names, with its course. @throws Problem 404 */
async function found(request: FastifyRequest) {
  const { db, courses } = request.server
  const entry = await findEntry(db, idParam(request, 'id'))
  const course = entry === undefined ? null : await courses.findCourse(entry.slug)
  if (entry === undefined || course === null) throw notFound()
  return { entry, course }
}

async function showConflict(request: FastifyRequest, reply: FastifyReply, form: FormState) {
  const { entry, course } = await found(request)
  const refused = refuse(form, entry.body === null ? 'position' : 'body', 'posts.conflict.summary')
  const change = { entryId: entry.id, form: refused, begunWith: null, isOvertaken: true }
  return showFaq(request, reply, course, { change, status: 409 })
}

/** What was typed before signing in, in the form of its entry or in that for a new one. */
function restored(request: FastifyRequest, kept: Readonly<Record<string, string>>): ShownFaq {
  const form = restoredForm(request, kept)
  if (!kept.entry) return { form }
  return { change: { entryId: Number(kept.entry), form, begunWith: versionOf(kept), isOvertaken: false } }
}
