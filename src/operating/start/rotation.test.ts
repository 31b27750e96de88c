import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { hashPassword } from '../../accounts/identity/passwords.ts'
import { renewSecrets, unreadableSecrets } from '../../accounts/second-factor/sealed-secret.ts'
import { anApp, secretOf } from '../../accounts/second-factor/testing.ts'
import { PASSWORD } from '../../accounts/testing.ts'
import { createApp } from '../../app.ts'
import type { Database } from '../../database/schema.ts'
import { unsubscribeUrlOf } from '../../forum/mailing/list-mail.ts'
import { listInvitations, makeInvitation } from '../../forum/members/invitations.ts'
import { returnAddressOf, returnedMailId } from '../../mail/return-address.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { SECRET, testApp, testConfig } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { within } from '../../testing/within.ts'
import { unreadableLine } from './secret.ts'

const NEW = 'the new secret of at least 32 characters'
const BASE_URL = 'http://localhost:3000'

/** The forum before a rotation, during it, and after the old secret was forgotten. */
async function threeForums(t: Ending) {
  const db = await testDatabase(t)
  const [before, rotated, after] = await Promise.all([
    testApp(t, db),
    forumWith(t, db, [NEW, SECRET]),
    forumWith(t, db, [NEW]),
  ])
  const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
  return { db, before, rotated, after, person }
}

async function forumWith(t: Ending, db: Database, keys: SecretKeys): Promise<FastifyInstance> {
  const app = await createApp(testConfig(), db, keys)
  atEnd(t, () => app.close())
  await app.ready()
  return app
}

suite('SECRET=new,old', () => {
  test('accepts open forms and signed cookies of the old one', async (t) => {
    const { before, rotated, after, person } = await threeForums(t)
    const browser = await signedIn(before, person)
    const token = await browser.token('/settings')
    for (const [app, status] of [
      [rotated, 303],
      [after, 403],
    ] as const) {
      const same = visitor(app)
      for (const [name, value] of browser.cookies) same.cookies.set(name, value)
      const answer = await same.post('/notifications/seen', {}, { token })
      assert.equal(answer.statusCode, status)
      assert.equal(app.unsignCookie(before.signCookie('words')).valid, status === 303)
    }
    assert.equal(after.unsignCookie(rotated.signCookie('words')).valid, true, 'the first one signs')
  })

  test('accepts links and return addresses of emails that the old one signed', async (t) => {
    const { db, rotated, after, person } = await threeForums(t)
    const link = unsubscribeUrlOf({ baseUrl: BASE_URL, secret: SECRET }, person.id, 'all').slice(
      BASE_URL.length,
    )
    assert.equal((await visitor(rotated).get(link)).statusCode, 200)
    assert.equal((await visitor(after).get(link)).statusCode, 404)
    const reply = 'reply@forum.example'
    const address = returnAddressOf(SECRET, reply, 7)
    assert.equal(returnedMailId([NEW, SECRET], reply, [address]), 7)
    assert.equal(returnedMailId([NEW], reply, [address]), null)

    const course = await aCourse(db)
    const { id: courseId } = course
    const invitation = {
      courseId,
      role: 'learner',
      until: null,
      timeZone: 'UTC',
      uses: null,
      madeBy: null,
    } as const
    await within(db, makeInvitation, [SECRET], invitation)
    const tokenWith = async (keys: SecretKeys) => (await listInvitations(db, keys, courseId))[0]?.token
    const token = await tokenWith([NEW, SECRET])
    assert.equal(
      (await visitor(after).get(`/join/${token}`)).statusCode,
      200,
      'the link itself needs no secret',
    )
    assert.equal(await tokenWith([NEW]), null)
    const staff = await signedIn(after, await aMember(db, course, 'instructor'))
    const members = (await staff.get(`/courses/${course.slug}/members`)).body
    assert.match(members, /This link still works, but it can’t be shown again/)
  })

  test('opens second factors, which a rotation encrypts with the new one', async (t) => {
    const { db, before, rotated, after, person } = await threeForums(t)
    const { code } = await anApp(before, person)
    const signIn = async (app: FastifyInstance, typed: string) => {
      const browser = visitor(app)
      await browser.post('/sign-in', { email: person.email, password: PASSWORD })
      return (await browser.post('/sign-in/code', { code: typed }, { page: '/sign-in/code' })).statusCode
    }
    assert.equal(await signIn(rotated, code()), 303)
    assert.equal(await signIn(after, code(1)), 422)
    assert.equal(
      await unreadableLine(db, [NEW]),
      `SECRET can’t decrypt the authenticator apps of ${person.email}: their codes are refused. Put the earlier SECRET behind it ` +
        '(SECRET=new,old), or turn two-factor authentication off for each of them: handup user second-factor-off ACCOUNT',
    )
    assert.equal(await renewSecrets(db, [NEW]), 0)
    assert.equal(await renewSecrets(db, [NEW, SECRET]), 1)
    assert.equal(await renewSecrets(db, [NEW, SECRET]), 0)
    assert.equal(await unreadableLine(db, [NEW]), null)
    assert.equal(await signIn(after, code(1)), 303)
  })

  test('a secret that an earlier version stored as it was works, and is sealed', async (t) => {
    const { db, before, person } = await threeForums(t)
    const { code } = await anApp(before, person)
    const plain = await secretOf(before, person)
    await db.updateTable('second_factors').set({ secret: plain }).execute()
    assert.deepEqual(await secretOf(before, person), plain)
    assert.deepEqual(await unreadableSecrets(db, null), [])

    const sealed = await Promise.all([1, 2].map(() => renewSecrets(db, [SECRET])))
    assert.equal(sealed[0], 1 - (sealed[1] ?? 0), 'in two processes at once')
    const { secret } = await db.selectFrom('second_factors').select('secret').executeTakeFirstOrThrow()
    assert.equal(secret.includes(plain), false)
    assert.deepEqual(await unreadableSecrets(db, null), [person.email])
    const browser = visitor(before)
    await browser.post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal((await browser.post('/sign-in/code', { code: code() })).statusCode, 303)
  })
})
