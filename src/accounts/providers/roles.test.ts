import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Role } from '../../database/schema.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aPerson } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { hashPassword } from '../identity/passwords.ts'
import { PASSWORD } from '../testing.ts'
import { insertRole } from './commands.ts'
import type { CraftedProvider } from './crafted-provider-testing.ts'
import { aForumWithProvider, setOptions, signInBy } from './testing.ts'

/** A course in which values of the claim `groups` give roles. */
async function aCourseOfClaims(app: FastifyInstance) {
  const course = await aCourse(app.db)
  await setOptions(app, { role_claim: 'groups' })
  const { id: providerId } = await app.db
    .selectFrom('identity_providers')
    .select('id')
    .executeTakeFirstOrThrow()
  const given: [string, Role][] = [
    ['students', 'learner'],
    ['tutors', 'assistant'],
    ['teachers', 'instructor'],
  ]
  await app.db.transaction().execute(async (write) => {
    for (const [value, role] of given) await insertRole(write, { providerId, value, slug: course.slug, role })
  })
  return { course, providerId }
}

/** Signs in with these groups. @returns the role that Mina has then; null: none */
async function comeWith(
  app: FastifyInstance,
  provider: CraftedProvider,
  groups: unknown,
): Promise<Role | null> {
  provider.answers.claims = { groups }
  await signInBy(visitor(app), provider)
  const row = await app.db
    .selectFrom('course_members as member')
    .innerJoin('linked_accounts as linked', 'linked.person_id', 'member.person_id')
    .select('member.role')
    .executeTakeFirst()
  return row?.role ?? null
}

async function setByHand(app: FastifyInstance, courseId: number, role: Role): Promise<void> {
  const { person_id } = await app.db
    .selectFrom('linked_accounts')
    .select('person_id')
    .executeTakeFirstOrThrow()
  await app.db
    .insertInto('course_members')
    .values({ course_id: courseId, person_id, role })
    .onConflict((conflict) => conflict.columns(['course_id', 'person_id']).doUpdateSet({ role }))
    .execute()
}

suite('roles that a claim gives', () => {
  test('come with its values, the highest of them, and go with them', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    await aCourseOfClaims(app)
    assert.equal(await comeWith(app, provider, ['students', 'other']), 'learner')
    assert.equal(await comeWith(app, provider, ['students', 'teachers', 'tutors']), 'instructor')
    assert.equal(await comeWith(app, provider, 'tutors'), 'assistant')
    for (const nothing of [[], undefined, 7, { tutors: true }, ['TUTORS']]) {
      assert.equal(await comeWith(app, provider, nothing), null)
      assert.equal(await comeWith(app, provider, ['tutors']), 'assistant')
    }
  })

  test('leave what was set by hand: it comes back, a higher one stays, and so does a changed one', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const { course } = await aCourseOfClaims(app)
    await comeWith(app, provider, [])
    await setByHand(app, course.id, 'learner')
    assert.equal(await comeWith(app, provider, ['tutors']), 'assistant')
    assert.equal(await comeWith(app, provider, ['teachers']), 'instructor')
    assert.equal(await comeWith(app, provider, []), 'learner')
    await setByHand(app, course.id, 'instructor')
    assert.equal(await comeWith(app, provider, ['students']), 'instructor')
    assert.equal(await comeWith(app, provider, []), 'instructor')
    await setByHand(app, course.id, 'learner')
    assert.equal(await comeWith(app, provider, ['tutors']), 'assistant')
    // Changed by hand and back: it is the hand's now.
    await setByHand(app, course.id, 'learner')
    await setByHand(app, course.id, 'assistant')
    assert.equal(await comeWith(app, provider, []), 'assistant')
  })

  test('count at once: what was allowed a moment ago is refused once the claim is gone', async (t) => {
    const { app, provider } = await aForumWithProvider(t)
    const { course } = await aCourseOfClaims(app)
    provider.answers.claims = { groups: ['teachers'] }
    const staff = visitor(app)
    await signInBy(staff, provider)
    const settings = `/courses/${course.slug}/settings`
    assert.equal((await staff.get(settings)).statusCode, 200)
    provider.answers.claims = { groups: ['students'] }
    await signInBy(visitor(app), provider)
    assert.equal(
      (await staff.post(`/courses/${course.slug}/lectures`, { lectures: 'Verbs' })).statusCode,
      403,
    )
    assert.equal((await staff.get(settings)).statusCode, 403)
  })

  test('are set up by an admin, and end with the link', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const { course, providerId } = await aCourseOfClaims(app)
    const passwordHash = await hashPassword(PASSWORD)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true, passwordHash }))
    const path = `/admin/sign-in/${providerId}`
    const confirmed = { current_password: PASSWORD }
    const fields = { value: 'graders', course: course.slug, role: 'assistant', ...confirmed }
    assert.equal((await admin.post(`${path}/roles`, fields)).statusCode, 303)
    const page = await admin.get(path)
    assert.match(textOf(page.body), new RegExp(`graders ${course.title} · Assistant`))
    assert.equal((await admin.post(`${path}/roles`, { ...fields, course: 'nowhere' })).statusCode, 422)
    assert.equal((await admin.post(`${path}/roles`, { ...fields, value: ' ' })).statusCode, 422)
    assert.equal(await comeWith(app, provider, ['graders']), 'assistant')
    const { id } = await db
      .selectFrom('provider_roles')
      .select('id')
      .where('value', '=', 'graders')
      .executeTakeFirstOrThrow()
    await admin.post(`${path}/roles/removal`, { given: id, ...confirmed })
    assert.equal(await comeWith(app, provider, ['graders']), null)
  })
})
