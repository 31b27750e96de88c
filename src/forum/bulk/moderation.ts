import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { forbidden, refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { takeSelections } from '../../web/transport/body.ts'
import { listedPost, namedPosts } from '../cases/pages/listed-posts.ts'
import { listCases, queuePath, queueRow } from '../cases/pages/queue-page.ts'
import { subjectOf } from '../cases/subject.ts'
import { headIn, zoneIn } from '../courses/course-page.ts'
import { course, courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { MODERATION_ACTS } from './moderation-acts.ts'
import { mustHaveGround, REASON, reasonFields } from './reason-fields.ts'
import { chosenIn, ID, MOST_AT_ONCE, recordAct, type Subject, several } from './record.ts'
import { carriedOut, namesOf, reportPath } from './report.ts'

type ModerationAct = keyof typeof MODERATION_ACTS
const NAMES = Object.keys(MODERATION_ACTS) as ModerationAct[]

/** The name of a post in a form: `answer-12`. */
const POST = /^(?:question|answer|reply)-[1-9]\d{0,14}$/

/** What is in a form, and what each act is done to. */
const DONE_TO: Readonly<Record<ModerationAct, readonly ('post' | 'case')[]>> = {
  release: ['post'],
  reject: ['post'],
  decline: ['case'],
  delete: ['post', 'case'],
  spammer: ['post', 'case'],
}
const WITH_REASON: readonly ModerationAct[] = ['reject', 'delete']

const CHOSEN = {
  act: choice(NAMES, 'bulk.act.none'),
  post: several(POST),
  case: several(ID),
  ...REASON,
}
const FIRST = { after: null, before: null }
type Chosen = z.output<z.ZodObject<typeof CHOSEN>>

/**
 * Does something to several posts or cases that wait in a course, or (null) with the admins, or to other posts of whom a case is about:
 * recorded here, and then done to each in a transaction of its own, by the operation that asks who may do it to that one.
 */
export const moderationBulk = operation({
  name: 'bulk-moderation',
  right: 'moderate',
  rightOnProfile: 'moderate-forum',
  find: queueSubject,
  once: true,
  input: CHOSEN,
  events: ['bulk-act'],
  async run({ write, actor, subject, input: chosen, note: log }) {
    const { act, ground, rule, note } = chosen
    const courseId = subject?.courseId ?? null
    const subjects = subjectsOf(chosen)
    const input = WITH_REASON.includes(act)
      ? await mustHaveGround(write, courseId, { ground, rule, note })
      : {}
    const madeBy = personOf(actor).id
    const bulkId = await recordAct(write, { name: act, courseId, madeBy, input, subjects })
    log('bulk-act', { courseId, bulkId, act: `bulk-${act}`, ids: namesOf(subjects), isUndone: false })
    return { bulkId, act }
  },
})

/** The course whose queue it is; null: it is that of the admins. @throws Problem 'notFound' */
async function queueSubject(write: Write, slug: string | null) {
  return slug === null ? null : course(write, slug)
}

/** @throws Refused where there are none or too many, or what the act isn't done to */
function subjectsOf({ act, post, case: cases }: Pick<Chosen, 'act' | 'post' | 'case'>): Subject[] {
  const posts = post.map(postOf)
  const subjects = [...posts, ...cases.map((id) => ({ kind: 'case', id: Number(id) }) as const)]
  if (subjects.length === 0) throw refusal('post', 'bulk.none.moderation')
  if (subjects.length > MOST_AT_ONCE) throw refusal('post', 'bulk.many', { max: MOST_AT_ONCE })
  if (subjects.some(({ kind }) => !DONE_TO[act].includes(kind === 'case' ? 'case' : 'post')))
    throw refusal('act', 'forms.choice')
  return subjects
}

function postOf(name: string) {
  const { about, id } = subjectOf(name)
  return { kind: about as Exclude<typeof about, 'person'>, id }
}

/** What is chosen of a queue or of a person's posts, with what can be done with it. @param course null: of the admins */
export const showModerationForm = page(
  'bulk/form',
  { robots: 'noindex', isForStaff: true },
  async (context, course: Course | null, sent: unknown, refused: FormState | null = null) => {
    const { t, db, now } = context
    const viewer = context.person()
    if (course === null && !may(viewer, 'moderate-forum')) throw forbidden()
    const courseId = course?.id ?? null
    const ids = chosenIn(sent, 'case', ID).map(Number)
    const field = ids.length > 0 ? 'case' : 'post'
    const look = { t, viewer, now, timeZone: zoneIn(context, course), path: queuePath(course?.slug ?? null) }
    const cases = { viewer, courseId, view: 'open', only: ids } as const
    const items =
      field === 'case'
        ? (await listCases(db, cases, FIRST, MOST_AT_ONCE)).rows.map((row) => queueRow(row, look))
        : (await namedPosts(db, courseId, chosenIn(sent, 'post', POST).map(subjectOf))).map((row) =>
            listedPost(row, look),
          )
    const names = offered(field, typedFields(sent).act)
    const form = refused ?? freshForm({ act: typedFields(sent).act ?? '' })
    const { ground, rule, note } = await reasonFields(context, courseId, form)
    return {
      title: t(`bulk.title.${field}`),
      action: `${look.path}/bulk`,
      back: { path: look.path, text: t('bulk.back.moderation') },
      form: names.length === 1 ? { ...form, typed: { ...form.typed, act: names[0] ?? '' } } : form,
      chosen: {
        field,
        legend: t(field === 'case' ? 'bulk.cases' : 'bulk.posts', { count: items.length }),
        items: items.map(({ value, text, by }) => ({ value, text, about: by })),
      },
      none: t('bulk.none.moderation'),
      acts: names.map((name) => ({
        name,
        rows: WITH_REASON.includes(name) ? [ground, rule, note] : [],
        hint: hintOf(t, name, courseId),
      })),
      head: {
        address: `${look.path}/bulk`,
        ...(await headIn(context, course, 'moderation', true)),
      },
    }
  },
)

/** Held posts are released or rejected, others deleted; which of them were meant is what the button said. */
function offered(field: 'post' | 'case', act: string | undefined): readonly ModerationAct[] {
  if (field === 'case') return ['decline', 'delete', 'spammer']
  return act === 'delete' ? ['delete', 'spammer'] : ['release', 'reject', 'spammer']
}

/** What is to be known before an act; null: nothing that its name doesn't say. */
function hintOf(t: Translate, name: ModerationAct, courseId: number | null): string | null {
  if (name === 'spammer') return t('bulk.hint.spammer', { place: courseId === null ? 'forum' : 'course' })
  return MODERATION_ACTS[name].prepareUndo === null ? t(`bulk.final.${name}`) : null
}

export function registerModerationBulk(app: FastifyInstance): void {
  app.register(async (scope) => {
    takeSelections(scope)
    for (const path of ['/moderation/bulk', '/courses/:course/moderation/bulk']) {
      const isOfForum = path === '/moderation/bulk'
      const courseOf = async (request: FastifyRequest) => (isOfForum ? null : courseFor(request, 'moderate'))
      scope.get(path, async (request, reply) =>
        showModerationForm(request, reply, await courseOf(request), request.query),
      )
      openForm(scope, path, moderationBulk, {
        key: (request) => (isOfForum ? null : textParam(request, 'course')),
        formPage: (request) => queuePath(isOfForum ? null : textParam(request, 'course')),
        afterwards: carriedOut,
        done: ({ bulkId }) => reportPath(bulkId),
        refused: async (request, reply, form) =>
          showModerationForm(request, reply, await courseOf(request), request.body, form),
      })
    }
  })
}
