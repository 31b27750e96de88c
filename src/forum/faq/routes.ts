import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { postOnce } from '../../operations/posted-once.ts'
import { notFound } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { may, placeOf } from '../../rights/rights.ts'
import { refuse, type ValuesOf } from '../../web/form.ts'
import { onceOf } from '../../web/once.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { faqPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { versionOf } from '../questions/version.ts'
import { changeEntry, isAsChanged, makeEntry, type NewEntry } from './commands.ts'
import { entryForm, moveForm } from './form.ts'
import { moveEntry } from './move.ts'
import { type ShownFaq, showFaq } from './page.ts'
import { findEntry } from './queries.ts'

/** What is asked again and again: assistants propose, instructors show or decline. */
export function registerFaq(app: FastifyInstance): void {
  registerMoves(app)
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

  const formPage = (request: FastifyRequest) => faqPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage, keeps: entryForm.names } as const
  app.post(path, { config }, async (request, reply) => {
    const person = request.requirePerson()
    const course = await courseFor(request, 'propose-faq')
    const form = entryForm.parse(request.body)
    if (!form.ok) return showFaq(request, reply, course, { form, status: 422 })
    const about = aboutOf(form.values)
    if (about === null) {
      const refused = refuse(form, 'title', 'faq.nothing')
      return showFaq(request, reply, course, { form: refused, status: 422 })
    }
    // Who may not decide proposes, whatever the form says.
    const wished = form.values.state ?? 'proposed'
    const state = may(person, 'decide-faq', placeOf(course)) ? wished : 'proposed'
    const { position } = form.values
    const made = await postOnce(app.db, onceOf(request, person.id), async (write) =>
      (await makeEntry(write, { courseId: course.id, about, state, position })) ? faqPath(course.slug) : '',
    )
    if (made === '') {
      const refused = refuse(form, 'question', 'faq.question.unknown')
      return showFaq(request, reply, course, { form: refused, status: 422 })
    }
    noteEvent(request, 'faq-changed', { courseId: course.id, state })
    return reply.flash(`faq.flash.${state}`).redirect(made, 303)
  })

  // Of a decision alone nothing is kept: it has no text.
  const keeps = ['entry', 'version', 'title', 'body', 'position']
  app.post('/faq/:id', { config: { limit: 'posting', needsPerson: true, keeps } }, async (request, reply) => {
    const person = request.requirePerson()
    const entry = await findEntry(app.db, idParam(request, 'id'))
    const course = entry === undefined ? null : await app.courses.findCourse(entry.slug)
    if (entry === undefined || course === null) throw notFound()
    requireRight(person, 'decide-faq', placeOf(course))
    const form = entryForm.parse(request.body)
    const begunWith = versionOf(request.body)
    if (!form.ok) {
      const change = { entryId: entry.id, form, begunWith, isOvertaken: false }
      return showFaq(request, reply, course, { change, status: 422 })
    }
    const outcome = await changeEntry(app.db, entry, form.values, begunWith)
    if (outcome === 'conflict' && !isAsChanged((await findEntry(app.db, entry.id)) ?? entry, form.values)) {
      const refused = refuse(form, entry.body === null ? 'position' : 'body', 'posts.conflict.summary')
      const change = { entryId: entry.id, form: refused, begunWith: null, isOvertaken: true }
      return showFaq(request, reply, course, { change, status: 409 })
    }
    noteEvent(request, 'faq-changed', { courseId: course.id, state: form.values.state })
    return reply.flash(`faq.flash.${form.values.state ?? 'shown'}`).redirect(faqPath(course.slug), 303)
  })
}

/** Moves a shown entry up or down. */
function registerMoves(app: FastifyInstance): void {
  app.post('/faq/:id/move', { config: { limit: 'posting', needsPerson: true } }, async (request, reply) => {
    const person = request.requirePerson()
    const entry = await findEntry(app.db, idParam(request, 'id'))
    const course = entry === undefined ? null : await app.courses.findCourse(entry.slug)
    if (entry === undefined || course === null) throw notFound()
    requireRight(person, 'decide-faq', placeOf(course))
    const form = moveForm.parse(request.body)
    if (!form.ok || !(await moveEntry(app.db, course.id, entry.id, form.values.direction))) throw notFound()
    noteEvent(request, 'faq-changed', { courseId: course.id, state: entry.state })
    return reply.redirect(`${faqPath(course.slug)}#faq-${entry.id}`, 303)
  })
}

/** What was typed before signing in, in the form of its entry or in that for a new one. */
function restored(request: FastifyRequest, kept: Readonly<Record<string, string>>): ShownFaq {
  const form = restoredForm(request, kept)
  if (!kept.entry) return { form }
  return { change: { entryId: Number(kept.entry), form, begunWith: versionOf(kept), isOvertaken: false } }
}

/** null: neither a question nor a text. */
function aboutOf({ question, title, body }: ValuesOf<typeof entryForm>): NewEntry['about'] | null {
  if (question !== null) return question
  return title === null || body === null ? null : { title, body }
}
