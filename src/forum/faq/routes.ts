import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import type { FaqState } from '../../database/schema.ts'
import { EditedMeanwhile, notFound } from '../../kernel/problem.ts'
import { languageOf } from '../../text/language.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { type FormState, freshForm, refuse, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, queryParam, textParam } from '../../web/params.ts'
import { faqPath, questionPath } from '../../web/paths.ts'
import type { Shown } from '../../web/view-context.ts'
import { type CourseContext, pageOfCourse } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import { versionOf } from '../posts/editing.ts'
import { changed, faqChange, faqEntry, faqMove, STATES } from './operations.ts'
import { type Entry, findEntry, findProposals, listEntries } from './queries.ts'

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
      showFaq(request, reply, await courseFor(request, 'propose-faq'), { form }),
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
      return showFaq(request, reply, course, { change })
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
  return showFaq(request, reply, course, { change })
}

/** What was typed before signing in, in the form of its entry or in that for a new one. */
function restored(request: FastifyRequest, kept: Readonly<Record<string, string>>): ShownFaq {
  const form = restoredForm(request, kept)
  if (!kept.entry) return { form }
  return { change: { entryId: Number(kept.entry), form, begunWith: versionOf(kept), isOvertaken: false } }
}

interface RefusedChange {
  readonly entryId: number
  readonly form: FormState
  /** The version that it began with; null: the entry's now, so that saving again is meant to win. */
  readonly begunWith: number | null
  /** Somebody else changed the entry meanwhile. */
  readonly isOvertaken: boolean
}

interface ShownFaq {
  readonly form?: FormState
  readonly change?: RefusedChange
  /** Id of the entry whose form is open. */
  readonly editing?: number
}

/** What is asked again and again in a course; staff see what waits for a decision as well, and what the system proposes. */
const showFaq = pageOfCourse(
  'faq/index',
  { place: 'faq', showsTexts: true },
  async (context, { form = freshForm(), change, editing }: ShownFaq) => {
    const { db, t, course, rendering, robots, may } = context
    const isStaff = may('propose-faq')
    const { question, title, body } = faqEntry.input
    const entries = await listEntries(db, course.id, isStaff ? STATES : ['shown'])
    const texts = await prepareMarkdown(entries.map(({ body }) => body ?? ''))
    const shown = entries.map((entry, index) => ({
      ...entry,
      html: entry.answerHtml ?? texts[index]?.html ?? '',
    }))
    rendering?.dependsOn(`course:${course.id}`)
    const of = (state: FaqState) =>
      shown
        .filter((one) => one.state === state)
        .map((one) => entryView(context, one, change?.entryId === one.id ? change : null, one.id === editing))
    return {
      title: t('faq.title'),
      entries: of('shown'),
      staff: isStaff
        ? {
            proposed: of('proposed'),
            declined: of('declined'),
            proposals: (await findProposals(db, course.id)).map(({ id, title, views, again }) => ({
              id,
              title,
              path: questionPath({ id, title }),
              lang: languageOf(title),
              why: t(again > 0 ? 'faq.proposal.again' : 'faq.proposal.views', {
                count: again > 0 ? again : views,
              }),
            })),
            action: faqPath(course.slug),
            form,
            decides: may('decide-faq'),
            fields: context.formFields('faq', { question, title, body }, form, {
              question: { autocomplete: 'off' },
              title: { autocomplete: 'off' },
              body: { rows: 5, isPlain: true },
            }),
          }
        : null,
      head: {
        canonical: faqPath(course.slug),
        isForStaff: isStaff,
        robots,
      },
    }
  },
)

export type FaqPage = Shown<typeof showFaq>

export type EntryView = ReturnType<typeof entryView>

function entryView(
  context: CourseContext,
  entry: Entry & { readonly html: string },
  refused: RefusedChange | null,
  isEdited: boolean,
) {
  const { id, title, html, body, questionId } = entry
  return {
    id,
    title,
    lang: languageOf(title),
    html,
    path: questionId === null ? null : questionPath({ id: questionId, title }),
    again: entry.again > 0 ? context.t('faq.again', { count: entry.again }) : null,
    action: `/faq/${id}`,
    change: { ...changeView(context, entry, refused), isOpen: refused !== null || isEdited },
    body,
  }
}

/** The form that changes an entry: as the entry is, or what somebody typed who was refused. */
function changeView({ formFields }: CourseContext, entry: Entry, refused: RefusedChange | null) {
  const { id, title, position, state, version } = entry
  const body = entry.body ?? ''
  const form = refused?.form ?? freshForm()
  // Empty ones stay as they are.
  const typed = Object.fromEntries(Object.entries(form.typed).filter(([, text]) => text !== ''))
  const shown = { ...form, typed: { title, body, position: String(position), state, ...typed } }
  const isOvertaken = refused?.isOvertaken === true && entry.body !== null
  return {
    form: { ...form, errors: form.errors.map((error) => ({ ...error, field: `${error.field}-${id}` })) },
    fields: formFields('faq', changed, shown, {
      title: { id: `title-${id}`, autocomplete: 'off', optional: false },
      body: { id: `body-${id}`, rows: 6, isPlain: true, whose: title },
      position: { id: `position-${id}`, autocomplete: 'off', optional: false },
      state: { id: `state-${id}` },
    }),
    version: refused?.begunWith ?? version,
    // What somebody else saved meanwhile.
    theirs: isOvertaken ? { title, body } : null,
  }
}
