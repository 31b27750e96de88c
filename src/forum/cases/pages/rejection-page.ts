import { REPORT_REASONS } from '../../../database/schema.ts'
import { gone } from '../../../kernel/problem.ts'
import { languageOf } from '../../../text/language.ts'
import { excerpt } from '../../../text/plain.ts'
import { type FormState, freshForm, typedFields } from '../../../web/form.ts'
import { page } from '../../../web/page.ts'
import { queryParam } from '../../../web/params.ts'
import { localPath } from '../../../web/paths.ts'
import { bylineOf } from '../../authors/byline.ts'
import { headIn } from '../../courses/course-page.ts'
import { courseById } from '../../courses/find-course.ts'
import { listRules } from '../../policies/policy.ts'
import { FIND } from '../../posts/find.ts'
import { type PostKind, TABLES } from '../../posts/kinds.ts'
import { EXCERPT } from '../report.ts'
import { findSubject } from '../subject.ts'
import { ruleGroups } from './decide-view.ts'

/** The page before a held post is rejected, or its form again. @throws Problem unless the viewer may do it */
export const showRejection = page(
  'cases/rejection',
  { robots: 'noindex', isForStaff: true },
  async (
    context,
    subject: { readonly about: PostKind; readonly id: number },
    form: FormState = freshForm(),
    sent: unknown = {},
  ) => {
    const { db, t, lang, server } = context
    const viewer = context.person()
    const { about, id } = subject
    const { courseId } = await FIND[TABLES[about]](db, viewer, id, 'release')
    const post = await findSubject(db, subject)
    if (post === null) throw gone()
    const course = await courseById({ server }, courseId)
    const author = { ...post, author_id: post.personId, author_role: post.role }
    const quoted = excerpt(post.html ?? '', EXCERPT)
    const back = typedFields(sent).back ?? queryParam(context, 'back') ?? undefined
    return {
      title: t(`held.rejection.title.${about}`),
      action: `/${TABLES[about]}/${id}/rejection`,
      back: localPath(back, post.path),
      byline: bylineOf({ t, viewer }, author, courseId),
      excerpt: quoted,
      excerptLang: languageOf(quoted),
      form,
      grounds: [
        { value: '', text: t('removal.reason.none') },
        ...REPORT_REASONS.map((value) => ({
          ...{ value, text: t(`reports.reason.${value}`), selected: value === form.typed.ground },
        })),
      ],
      rules: ruleGroups(t, await listRules(db, courseId, lang), form.typed.rule),
      head: {
        address: `/${TABLES[about]}/${id}/rejection`,
        ...(await headIn(context, course, 'moderation', true)),
      },
    }
  },
)
