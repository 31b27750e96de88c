import type { FastifyRequest } from 'fastify'
import { seesNames } from '../../rights/rights.ts'
import { type FormResult, refuse } from '../../web/form.ts'
import type { Post } from './find.ts'

/** The form of a new answer or reply, refused where it hides a name that is not to be hidden: the course decides, and staff never do. */
export async function permittedName<Values extends { readonly anonymous: boolean }>(
  request: FastifyRequest,
  { courseId }: Post,
  form: FormResult<Values>,
): Promise<FormResult<Values>> {
  if (!form.ok || !form.values.anonymous) return form
  if (seesNames(request.requirePerson(), courseId))
    return { ok: false, ...refuse(form, 'anonymous', 'anonymous.staff') }
  const course = await request.server.db
    .selectFrom('courses')
    .select('allows_anonymous')
    .where('id', '=', courseId)
    .executeTakeFirstOrThrow()
  return course.allows_anonymous ? form : { ok: false, ...refuse(form, 'anonymous', 'anonymous.off') }
}
