import type { FastifyReply, FastifyRequest } from 'fastify'
import { REPORT_REASONS } from '../../../database/schema.ts'
import { languageOf } from '../../../text/language.ts'
import { momentOf } from '../../../text/moment.ts'
import { excerpt } from '../../../text/plain.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { translatorFor } from '../../../web/language.ts'
import { contextOf } from '../../../web/page.ts'
import { bylineOf } from '../../authors/byline.ts'
import { barOf } from '../../courses/course-bar.ts'
import { courseById } from '../../courses/find-course.ts'
import type { Course } from '../../courses/queries.ts'
import { EXCERPT } from '../open-case.ts'
import { findReportable, isReviewed, type Reportable } from '../report.ts'
import { FOLDERS, type Subject, subjectName } from '../subject.ts'

/** 'open-case': staff take something up themselves, so that no report is needed. */
export type ReportAct = 'report' | 'open-case'

/** Where a subject is reported, or a case about it opened. */
export const reportPath = ({ about, id }: Subject, act: ReportAct = 'report') =>
  `/${FOLDERS[about]}/${id}/${act === 'report' ? 'reports' : 'cases'}`

/**
 * The form, with what it is about, but for a deleted post: it is shown to nobody who reports it.
 * @throws Problem when the viewer can't read it, or it is their own
 */
export async function showReport(
  request: FastifyRequest,
  reply: FastifyReply,
  subject: Subject,
  { form = freshForm(), act = 'report' }: { readonly form?: FormState; readonly act?: ReportAct } = {},
) {
  const found = await findReportable(request.server.db, request.person, subject, act)
  const course = found.courseId === null ? null : await courseById(request, found.courseId)
  return reply.page('reports/new', await reportPage(request, { subject, found, course, form, act }), {
    ...(course !== null && {
      course: course.slug,
      bar: await barOf(contextOf(request), course, 'questions', true),
    }),
    robots: 'noindex',
    isForStaff: true,
    address: reportPath(subject, act),
    status: form.errors.length > 0 ? 422 : 200,
  })
}

interface Reporting {
  readonly subject: Subject
  readonly found: Reportable
  readonly course: Course | null
  readonly form: FormState
  readonly act: ReportAct
}

/** The form, with what it is about, but for a deleted post: it is shown to nobody who reports it. */
export async function reportPage(request: FastifyRequest, { subject, found, course, form, act }: Reporting) {
  const { db, config } = request.server
  const viewer = request.person
  const t = translatorFor(request)
  const timeZone = viewer?.timeZone ?? course?.timeZone ?? config.timeZone
  const quote = () => {
    const text = found.html === null ? '' : excerpt(found.html, EXCERPT)
    return {
      byline: bylineOf({ t, viewer }, found, found.courseId ?? 0),
      writtenAt: found.writtenAt === null ? null : momentOf(found.writtenAt, timeZone),
      excerpt: text,
      excerptLang: languageOf(text),
    }
  }
  return {
    act,
    title: t(act === 'report' ? `reports.title.${subject.about}` : `reports.openCase.title.${subject.about}`),
    // Nobody is told the title of a deleted question any more.
    back: { path: found.path, text: found.title || t('posts.back') },
    action: reportPath(subject, act),
    quote: act === 'report' && found.isDeleted ? null : quote(),
    reasons: REPORT_REASONS.filter((reason) => subject.about !== 'person' || reason !== 'solution'),
    isVisitor: viewer === null,
    isSending: config.smtpUrl !== null,
    closedText: act === 'report' ? await closedText(found, subject) : null,
    form,
  }

  async function closedText({ textVersion, personId }: Reportable, { about }: Subject) {
    if (await isReviewed(db, subject, textVersion)) return t('reports.reviewed')
    if (viewer === null || personId === viewer.id) return null
    const reported = await db
      .selectFrom('reports')
      .innerJoin('cases', 'cases.id', 'reports.case_id')
      .select('reports.id')
      .where('cases.subject', '=', subjectName(subject))
      .where('cases.state', '=', 'open')
      .where('reports.person_id', '=', viewer.id)
      .where('reports.text_version', '=', textVersion)
      .executeTakeFirst()
    return reported === undefined ? null : t(`reports.again.${about === 'person' ? 'person' : 'post'}`)
  }
}
