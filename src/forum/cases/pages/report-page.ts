import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Database, REPORT_REASONS } from '../../../database/schema.ts'
import { notFound } from '../../../kernel/problem.ts'
import { requireRight } from '../../../kernel/require-right.ts'
import type { Actor } from '../../../kernel/rights/rights.ts'
import { languageOf } from '../../../text/language.ts'
import { momentOf } from '../../../text/moment.ts'
import { excerpt } from '../../../text/plain.ts'
import { languageOfRequest } from '../../../web/appearance.ts'
import { type FormState, freshForm, sentFields } from '../../../web/form.ts'
import { openForm } from '../../../web/forms/door.ts'
import { page } from '../../../web/page.ts'
import { idParam } from '../../../web/params.ts'
import { coursePath, personPath } from '../../../web/paths.ts'
import { bylineOf } from '../../authors/byline.ts'
import { findMet } from '../../authors/met.ts'
import { headIn, zoneIn } from '../../courses/course-page.ts'
import { courseById } from '../../courses/find-course.ts'
import { FIND, questionOf } from '../../posts/find.ts'
import { KINDS, TABLES } from '../../posts/kinds.ts'
import { EXCERPT, isReviewed, opening, reporting, textOf } from '../report.ts'
import { FOLDERS, type Subject, subjectName } from '../subject.ts'
import { casePath } from './queue-page.ts'

/** 'open-case': staff take something up themselves, so that no report is needed. */
type ReportAct = 'report' | 'open-case'

/** Where a subject is reported, or a case about it opened. */
export const reportPath = ({ about, id }: Subject, act: ReportAct = 'report') =>
  `/${FOLDERS[about]}/${id}/${act === 'report' ? 'reports' : 'cases'}`

export function registerReports(app: FastifyInstance): void {
  for (const about of ['question', 'answer', 'reply', 'person'] as const) {
    const key = (request: FastifyRequest): Subject => ({ about, id: idParam(request, 'id') })
    app.get(`/${FOLDERS[about]}/:id/reports`, (request, reply) => showReport(request, reply, key(request)))
    openForm(app, `/${FOLDERS[about]}/:id/reports`, reporting, {
      key,
      actor: ({ person }) => person,
      formPage: (request) => reportPath(key(request)),
      input: (request) => ({ ...sentFields(request.body), language: languageOfRequest(request) }),
      // What is held by this report, nobody of the course sees.
      done: ({ question, heldIn }, request) =>
        heldIn !== null && about === 'question' ? coursePath(heldIn) : pathOf(key(request), question),
      flash: ({ person }, reported) =>
        (reported?.outcome ?? 'sent') === 'sent' && person === null
          ? 'reports.flash.sentByVisitor'
          : `reports.flash.${reported?.outcome ?? 'sent'}`,
      refused: (request, reply, form) => showReport(request, reply, key(request), 'report', form),
    })
    app.get(`/${FOLDERS[about]}/:id/cases`, (request, reply) =>
      showReport(request, reply, key(request), 'open-case'),
    )
    openForm(app, `/${FOLDERS[about]}/:id/cases`, opening, {
      key,
      formPage: (request) => reportPath(key(request), 'open-case'),
      done: ({ caseId, isTheirs, question }, request) =>
        isTheirs ? casePath(caseId) : pathOf(key(request), question),
      flash: (_request, opened) =>
        opened?.isTheirs === false ? 'reports.flash.openedForOthers' : 'reports.flash.opened',
      refused: (request, reply, form) => showReport(request, reply, key(request), 'open-case', form),
    })
  }
}

function pathOf({ about, id }: Subject, question: ReturnType<typeof questionOf> | null): string {
  return question === null || about === 'person' ? `/people/${id}` : KINDS[TABLES[about]].path(question, id)
}

/** The form, with what it is about, but for a deleted post: it is shown to nobody who reports it. */
export const showReport = page(
  'reports/new',
  { robots: 'noindex', isForStaff: true },
  async (context, subject: Subject, act: ReportAct = 'report', form: FormState = freshForm()) => {
    const { db, server, t, viewer, isSending } = context
    if (act === 'open-case') context.person()
    const shown = await findShown(db, viewer, subject, act)
    const text = await textOf(db, subject)
    const course = text.courseId === null ? null : await courseById({ server }, text.courseId)
    const quoted = text.html === null ? '' : excerpt(text.html, EXCERPT)
    const author = { ...text, author_id: text.personId, author_role: text.role }
    const timeZone = zoneIn(context, course)
    const isOwn = viewer === null || viewer.id === text.personId
    return {
      act,
      title: t(
        act === 'report' ? `reports.title.${subject.about}` : `reports.openCase.title.${subject.about}`,
      ),
      // Nobody is told the title of a deleted question any more.
      back: { path: shown.path, text: shown.title || t('posts.back') },
      action: reportPath(subject, act),
      quote:
        act === 'report' && shown.isDeleted
          ? null
          : {
              byline: bylineOf({ t, viewer }, author, text.courseId ?? 0),
              writtenAt: text.writtenAt === null ? null : momentOf(text.writtenAt, timeZone),
              excerpt: quoted,
              excerptLang: languageOf(quoted),
            },
      reasons: REPORT_REASONS.filter((reason) => subject.about !== 'person' || reason !== 'solution'),
      isVisitor: viewer === null,
      isSending,
      closedText:
        act === 'open-case'
          ? null
          : (await isReviewed(db, subject, text.textVersion))
            ? t('reports.reviewed')
            : !isOwn && (await isReportedBy(db, viewer.id, subject, text.textVersion))
              ? t(`reports.again.${subject.about === 'person' ? 'person' : 'post'}`)
              : null,
      form,
      head: {
        address: reportPath(subject, act),
        ...(await headIn(context, course, 'questions', true)),
      },
    }
  },
)

/**
 * @throws Problem when the viewer can't read it, or it is their own. `isDeleted`: a report of it is still
 * taken for a while.
 */
async function findShown(db: Database, viewer: Actor | null, { about, id }: Subject, act: ReportAct) {
  if (about !== 'person') {
    const post = await FIND[TABLES[about]](db, viewer, id, act)
    const path = KINDS[TABLES[about]].path(questionOf(post), id)
    return { path, title: post.title, isDeleted: post.isDeleted }
  }
  if (act === 'open-case') requireRight(viewer, 'moderate-forum', null)
  const person = await findMet(db, viewer, id)
  if (person === null) throw notFound()
  const { displayName } = person
  return { path: personPath({ id, displayName }), title: displayName, isDeleted: false }
}

async function isReportedBy(db: Database, personId: number, subject: Subject, textVersion: string) {
  const reported = await db
    .selectFrom('reports')
    .innerJoin('cases', 'cases.id', 'reports.case_id')
    .select('reports.id')
    .where('cases.subject', '=', subjectName(subject))
    .where('cases.state', '=', 'open')
    .where('reports.person_id', '=', personId)
    .where('reports.text_version', '=', textVersion)
    .executeTakeFirst()
  return reported !== undefined
}
