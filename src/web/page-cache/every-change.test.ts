import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { aCraftedProvider } from '../../accounts/providers/crafted-provider-testing.ts'
import { EXAMPLES } from '../../examples-testing.ts'
import { allOperations } from '../../rooms.ts'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { examplesOf, send } from '../../testing/examples.ts'
import { withoutAges, withoutRequestId, withoutTokens } from '../../testing/page.ts'
import { aSmallForum, type SmallForum } from '../../testing/small-forum.ts'
import { BY_EXAMPLE, WRITES } from './every-write-testing.ts'

/** Of a cache: each ends with the address of a page. */
interface Keys {
  keys(): readonly string[]
}

/** Writes that visitors see nothing of, on pages that are cached for them. */
const SHOWS_NOTHING: ReadonlySet<string> = new Set([
  '/questions/:id/snooze',
  '/questions/:id/claim',
  '/questions/:id/done',
  ...['/questions/:id/release', '/answers/:id/release', '/replies/:id/release'],
  ...['/questions/:id/rejection', '/answers/:id/rejection', '/replies/:id/rejection'],
  '/courses/:course/following',
  '/courses/:course/lectures/:position/following',
  '/tags/:tag/following',
  '/questions/reading',
  '/courses/:course/reading',
  '/questions/:id/reading',
  '/announcements/:id/reading',
  '/questions/:id/opening',
  '/notifications/:id/opening',
  '/notifications/seen',
  '/courses/:course/categories',
  '/courses/:course/deletion',
  '/courses/:course/restoration',
])

/** Forms that change what any page may show: they drop all. */
const DROPS_ALL =
  /^\/courses\/(?:new|:course\/(?:copy|archive|deletion|restoration|settings|categories|lectures|members))|^\/(?:join|admin\/pages)\/|^\/admin\/people\/:id\/merge|^\/settings\/claims\//

/**
 * Operations that change nothing a visitor sees, by name. Any other one is done, by its example unless `WRITES` says how.
 */
const UNSEEN: readonly string[] = `
  add-passkey
  add-provider
  add-provider-role
  allow-app
  answer-objection
  answer-reporter
  arrive-by-provider
  ask-for-email-change
  ask-for-new-password
  bring-import
  change-admin
  change-blocklist
  change-environment-provider
  change-forum-blocklist
  change-password
  change-provider
  change-site-settings
  change-waiting-roles
  change-webhook
  choose-mail
  claim-case
  confirm-email
  create-account
  delete-account
  end-app
  discard-import
  draft-answer
  end-invitation
  end-other-sessions
  end-session
  end-sessions-by-provider
  end-webhook
  export-course
  hand-over-case
  hand-over-objection
  hand-over-reporter
  link-account
  mail-invitations
  make-course-token
  make-invitation
  make-own-token
  make-sign-in-link
  make-webhook
  move-provider
  object
  object-by-mail
  object-to-outcome
  open-case
  redact-audit-entry
  redact-case
  redact-version-of-answer
  redact-version-of-question
  redact-version-of-reply
  register-app
  remove-account
  remove-app
  remove-passkey
  remove-password
  remove-provider
  remove-provider-role
  remove-saved-answer
  remove-second-factors
  remove-waiting-roles
  rename-passkey
  renew-recovery-codes
  report
  retry-job
  return-app-access
  revoke-course-token
  revoke-own-token
  rotate-webhook-secret
  save-answer
  send-confirmation
  send-mail-again
  send-webhook-delivery-again
  set-forgotten-password
  set-up
  set-up-second-factor
  show-first-steps
  sign-up
  start-import
  suspend-person
  take-account-back
  take-app-access
  take-back-import
  take-over-webhook
  tell-owner-of-address
  test-provider
  test-webhook
  turn-provider
  turn-second-factor-off
  turn-second-factor-on
  unlink-account
  unsubscribe
  unsuspend-person
  upload-picture
  use-sign-in-link
`
  .trim()
  .split(/\s+/)

/** Every kind of page that is cached. */
const pagesOf = ({ course, question, second, foreign, asker, answer, announcementId }: SmallForum) => [
  '/',
  ...['newest', 'active', 'votes', 'views'].map((sort) => `/questions?sort=${sort}`),
  ...['unanswered', 'unresolved', 'resolved'].map((status) => `/questions?status=${status}`),
  '/questions?tag=new',
  `/courses/${course.slug}`,
  `/courses/${course.slug}?lecture=2`,
  '/courses/git',
  `/courses/${course.slug}/announcements`,
  `/courses/${course.slug}/faq`,
  `/announcements/${announcementId}/x`,
  '/courses',
  '/tags',
  '/tags?q=h',
  '/tags/http',
  '/tags/http?sort=active',
  `/people/${asker.id}/x`,
  `/people/${answer.authorId}/x?show=answers`,
  // Its numbers know of answers that it does not list.
  `/people/${answer.authorId}/x?show=questions`,
  ...[question, second, foreign].map(({ id }) => `/questions/${id}/x`),
  `/questions/${question.id}/x?answers=newest`,
]

test('after every write each cached page is what a fresh one would be', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const fresh = await testApp(t, db)
  // One reader asks for all pages after each write, as nobody does within a minute.
  app.renderLimit.count = () => {}
  const forum = await aSmallForum(db, app)
  const [member, memberOfFresh] = [
    await signedIn(app, forum.bystander),
    await signedIn(fresh, forum.bystander),
  ]
  const { visitors, members } = app.pageCache ?? assert.fail('no pages are cached')

  const { prepare } = examplesOf(EXAMPLES, app.forms)
  const provider = await aCraftedProvider(t)
  const byExample = async (form: string) => {
    const [name = ''] = app.forms.get(form) ?? []
    const { statusCode, body } = await send(await prepare({ ...forum, provider, providerId: 0 }, name, form))
    assert.ok(statusCode < 400, `${form}: ${statusCode} ${body}`)
  }
  const others = [...app.forms].filter(([form, names]) => !isDone(Object.keys(WRITES), form, names))
  const writes = [...others.map(([form]) => [form, BY_EXAMPLE] as const), ...Object.entries(WRITES)]

  for (const [name, write] of writes) {
    await t.test(name, async () => {
      const urls = await rightAddresses(fresh, pagesOf(forum))
      await changes.caughtUp()
      await cacheAll(visitors.cache, urls, (url) => app.inject(url))
      await cacheAll(members.cache, urls, (url) => member.get(url))
      const missing = urls.filter((url) => !isCached(visitors.cache, url))
      assert.deepEqual(
        missing.filter((url) => !url.startsWith(`/questions/${forum.question.id}/`)),
        [],
        'all pages are cached before',
      )
      const ofMembers = urls.filter((url) => isCached(members.cache, url)).length
      assert.ok(ofMembers > urls.length / 2)
      const before = new Map<string, string>()
      for (const url of urls) before.set(url, (await app.inject(url)).body)
      await (write === BY_EXAMPLE ? byExample(name) : write(forum))
      // A form's answer waits for the change feed itself; other writers do not.
      if (!name.startsWith('/')) await changes.caughtUp()
      let cached = 0
      let changed = 0
      for (const url of urls) {
        cached += isCached(visitors.cache, url) ? 1 : 0
        const isOwnCached = isCached(members.cache, url)
        const [shown, made] = await Promise.all([app.inject(url), fresh.inject(url)])
        assert.equal(shown.statusCode, made.statusCode, url)
        assertSame(shown.body, made.body, url)
        if (!isSame(before.get(url) ?? '', made.body)) changed += 1
        // Without a cached page, it is rendered from what the visitor's page was rendered from.
        if (!isOwnCached) continue
        const [own, ownMade] = [await member.get(url), await memberOfFresh.get(url)]
        assertSame(own.body, ownMade.body, `${url}, signed in`)
      }
      assert.equal(changed > 0, !SHOWS_NOTHING.has(name), `${changed} pages look different`)
      // Courses and who teaches in them change rarely: such a change drops all pages.
      assert.ok(
        !name.startsWith('/') || DROPS_ALL.test(name) || cached > 0,
        'what the write does not touch stays cached',
      )
    })
  }
})

test('each operation has a form that is written by, is a write of its own, or changes nothing that visitors see', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const formed = new Set([...app.forms.values()].flat())
  const names = allOperations().map(({ name }) => name)
  assert.ok(names.length > 100)
  assert.deepEqual(
    names.filter((name) => !formed.has(name) && !(name in WRITES) && !UNSEEN.includes(name)),
    [],
  )
  assert.deepEqual(
    UNSEEN.filter((name) => !names.includes(name)),
    [],
  )
})

/** Whether a form is among the writes already, or changes nothing. */
const isDone = (written: readonly string[], form: string, operations: readonly string[]) =>
  written.some((name) => name.split(', ')[0] === form) ||
  operations.every((operation) => UNSEEN.includes(operation))

/** Addresses with the right slugs and names, so that none is only a redirect. */
function rightAddresses(app: FastifyInstance, urls: readonly string[]): Promise<string[]> {
  return Promise.all(
    urls.map(async (url) =>
      /\/x(?:$|\?)/.test(url) ? String((await app.inject(url)).headers.location ?? url) : url,
    ),
  )
}

/** Twice what is not cached, as a page is cached when it is requested again. */
async function cacheAll(
  cache: Keys,
  urls: readonly string[],
  get: (url: string) => Promise<unknown>,
): Promise<void> {
  for (const url of urls)
    for (let requests = 0; requests < 2 && !isCached(cache, url); requests += 1) await get(url)
}

const isCached = (cache: Keys, url: string) => cache.keys().some((key) => key.endsWith(` ${url}`))

const bare = (html: string) => withoutTokens(withoutRequestId(withoutAges(html)))

/** Most pages are the same with all that may differ, which takes longer to remove than the pages to render. */
const isSame = (one: string, other: string) => one === other || bare(one) === bare(other)

function assertSame(shown: string, made: string, name: string): void {
  if (shown !== made) assert.equal(bare(shown), bare(made), name)
}
