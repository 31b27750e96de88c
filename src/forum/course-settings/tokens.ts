import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Circumstances, writeTo } from '../../accounts/identity/letters.ts'
import { askingOf, refuseFormOfStranger } from '../../accounts/identity/reauthentication.ts'
import { courseToken, courseTokenForm, dayAhead, USUAL_DAYS } from '../../accounts/tokens/own-tokens.ts'
import { type MadeToken, tokenRows } from '../../accounts/tokens/rows.ts'
import { listTokens, makeToken, revokeToken } from '../../accounts/tokens/token.ts'
import type { Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam, textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { courseFor, lockedCourse, partOf } from '../courses/find-course.ts'
import { isDeleted } from '../purging/course-deletion.ts'
import { runningPage } from './nav.ts'

/** Tokens that read what an assistant of the course may, whoever made them, and write nothing. */
export function registerCourseTokens(app: FastifyInstance): void {
  const path = '/courses/:course/settings/tokens'
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const formPage = (request: FastifyRequest) => tokensPath(slugIn(request))
  app.get(path, (request, reply) => showTokens(request, reply))
  openForm(app, path, courseTokenMaking, {
    key: slugIn,
    formPage,
    async instead(request, reply) {
      await courseFor(request, 'manage')
      return refuseFormOfStranger(request, reply, courseTokenForm, showTokens, 'key')
    },
    done: ({ slug }) => tokensPath(slug),
    shown: (request, reply, { made }) => showTokens(request, reply, undefined, made),
    refused: showTokens,
  })
  openForm(app, `${path}/:id/end`, courseTokenEnd, {
    key: (request) => ({ slug: slugIn(request), part: idParam(request, 'id') }),
    formPage,
    done: ({ slug }) => tokensPath(slug),
    flash: () => 'tokens.flash.revoked',
  })
}

/** Tokens of a course, and the form for another: views/tokens/course.eta. */
export const showTokens = runningPage(
  'tokens/course',
  'tokens',
  { showsTexts: true },
  async (context, form: FormState = freshForm({ ends: dayAhead(USUAL_DAYS) }), made?: MadeToken) => {
    const { t, formFields, db, course } = context
    const tokens = await listTokens(db, { personId: null, courseId: course.id })
    const path = tokensPath(course.slug)
    return {
      title: t('tokens.title'),
      tokens: await tokenRows(context, tokens, path),
      ...{ made: made ?? null, form, action: path },
      fields: formFields('tokens', courseToken, form, { ends: { required: true } }),
      ...(await askingOf(context, 'key')),
      head: { about: course.title },
    }
  },
)

const tokensPath = (slug: string) => `${courseSettingsPath(slug)}/tokens`

/** Makes a token of a course, which is shown once; the course's instructors are told by email. */
const courseTokenMaking = operation({
  name: 'make-course-token',
  right: 'manage',
  find: lockedCourse,
  input: courseToken,
  events: ['course-token-made'],
  async run({ write, subject: { id: courseId, slug, timeZone, title }, input, note, ...where }) {
    if (await isDeleted(write, courseId)) throw notFound()
    const wished = { ...input, scopes: ['read', 'staff'], timeZone } as const
    const token = await makeToken(write, { personId: null, courseId }, wished)
    if (token === null) throw refusal('name', 'tokens.many')
    await notifyInstructors(write, 'courseTokenMade', { id: courseId, slug, title }, where)
    note('course-token-made', { courseId })
    return { slug, made: { name: input.name, token } }
  },
})

/** Revokes a token of a course; its instructors are told by email. */
const courseTokenEnd = operation({
  name: 'revoke-course-token',
  right: 'manage',
  find: partOf<number>(lockedCourse),
  events: ['course-token-revoked'],
  async run({ write, subject: { id: courseId, slug, title, part }, note, ...where }) {
    if ((await revokeToken(write, { personId: null, courseId }, part)) === null) throw notFound()
    await notifyInstructors(write, 'courseTokenRevoked', { id: courseId, slug, title }, where)
    note('course-token-revoked', { courseId })
    return { slug }
  },
})

/** A token reads on when the one who made it is gone: all instructors know of it, with an address that is theirs. */
async function notifyInstructors(
  write: Write,
  kind: 'courseTokenMade' | 'courseTokenRevoked',
  { id, slug, title }: { readonly id: number; readonly slug: string; readonly title: string },
  circumstances: Circumstances,
): Promise<void> {
  const instructors = await write
    .selectFrom('course_members as member')
    .innerJoin('people as person', 'person.id', 'member.person_id')
    .select(['person.id', 'person.email', 'person.language'])
    .where('member.course_id', '=', id)
    .where('member.role', '=', 'instructor')
    .where('person.left_at', 'is', null)
    .where('person.email_confirmed_at', 'is not', null)
    .orderBy('person.id')
    .execute()
  const particulars = { path: tokensPath(slug), values: { course: title } }
  for (const person of instructors)
    await writeTo(write, { ...person, isConfirmed: true }, kind, circumstances, particulars)
}
