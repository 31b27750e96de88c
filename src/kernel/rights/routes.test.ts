import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { allOperations } from '../../rooms.ts'
import { testApp } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { testDatabase } from '../../testing/database.ts'
import { withoutRequestId, withoutTokens } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { type UndoneDatabase, undoneDatabase } from '../../testing/undone.ts'
import type { Actor } from './rights.ts'
import { claimsOf, OF_READING } from './routes-testing.ts'
import { COURSE_ACTS, FORUM_ACTS, POST_ACTS } from './table.ts'
import { rulingOf, send, type Trial, trialsOf } from './trial-testing.ts'
import { aWorld, ROLES } from './world-testing.ts'

/** Somebody with a browser and a form in it. */
interface Guest {
  readonly name: string
  readonly actor: Actor | null
  readonly browser: Browser
  readonly token: string
  /** What they were answered about what is not there: always the same. */
  readonly absent: Map<string, LightMyRequestResponse>
}

test('every route says which act of the table it is, and every act is some route', async (t) => {
  const routes = routesOf(await testApp(t, await testDatabase(t)))
  const names = routes
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, path }) => `${method} ${path}`)
  assert.ok(names.length > 80)
  assert.deepEqual(
    names.filter((name) => claimsOf(name) === null),
    [],
    'say in routes-testing.ts what these are',
  )
  const tried = new Set<string>([
    ...OF_READING,
    ...names.flatMap((name) => claimsOf(name)?.map(({ act }) => act) ?? []),
  ])
  for (const act of [...FORUM_ACTS, ...COURSE_ACTS, ...POST_ACTS]) assert.ok(tried.has(act), act)
})

/** Operations that no form performs. */
const FORMLESS: ReadonlySet<string> = new Set([
  'create-account',
  'draft-answer',
  'remove-second-factors',
  'set-member',
  'tell-owner-of-address',
])

test('every operation has a form, which is the act of the table that the operation needs', async (t) => {
  const app = await testApp(t, await testDatabase(t))
  const operations = new Map(allOperations().map((operation) => [operation.name, operation]))
  assert.ok(operations.size > 30)
  for (const [path, names] of app.forms) {
    const acts = claimsOf(`POST ${path}`)?.map(({ act }) => act) ?? []
    for (const name of names) {
      const { right = 'visit', rightOnProfile = right } = operations.get(name) ?? {}
      const needed = /^\/(?:people|moderation|admin)\//.test(path) ? rightOnProfile : right
      assert.ok(acts.includes(needed), `${path} is ${acts}, not what ${name} needs`)
    }
  }
  const formed = new Set([...app.forms.values()].flat())
  const formless = [...operations.keys()].filter((name) => !formed.has(name))
  assert.deepEqual(formless, [...FORMLESS])
})

test('every route answers everybody, about everything, as the table of rights says', async (t) => {
  const database = await undoneDatabase(t)
  const app = await testApp(t, database.db)
  const world = await aWorld(database.db)
  const guests = [
    await aGuest('visitor', null, visitor(app)),
    ...(await Promise.all(
      ROLES.map(async (name) => {
        const actor = world.actors[name]
        return aGuest(name, actor, await signedIn(app, actor, ['link']))
      }),
    )),
  ]
  // HEAD is GET without its body.
  for (const { method, path } of routesOf(app).filter(({ method }) => method !== 'HEAD')) {
    const claims = claimsOf(`${method} ${path}`) ?? []
    await t.test(`${method} ${path}`, async () => {
      const wrong: string[] = []
      for (const guest of guests) {
        const trials = claims.flatMap((claim) => trialsOf(path, claim, guest.actor, world))
        for (const trial of trials) wrong.push(...(await complaintsOf(database, guest, method, trial)))
      }
      assert.deepEqual(wrong, [])
    })
  }
})

async function aGuest(name: string, actor: Actor | null, browser: Browser): Promise<Guest> {
  return { name, actor, browser, token: await browser.token(), absent: new Map() }
}

async function complaintsOf(database: UndoneDatabase, guest: Guest, method: string, trial: Trial) {
  const { path, fields, nowhere, fieldsNowhere } = trial
  const ask = (url: string, sent: Trial['fields']) =>
    database.undone(() => send(guest.browser, method, url, sent, guest.token))
  const answer = await ask(path, fields)
  const complaint = (problem: string) => [`${guest.name}, ${trial.name}, ${method} ${path}: ${problem}`]
  if (!isAsRuled(answer, trial)) return complaint(`${answer.statusCode} instead of ${trial.ruling}`)
  if (trial.ruling !== 'hidden' || nowhere === null) return []
  const request = `${method} ${nowhere} ${JSON.stringify(fieldsNowhere)}`
  const absent = guest.absent.get(request) ?? (await ask(nowhere, fieldsNowhere))
  guest.absent.set(request, absent)
  const isSame = withoutNames(answer, path, fields) === withoutNames(absent, nowhere, fieldsNowhere)
  return isSame ? [] : complaint('not as if it were not there')
}

function isAsRuled(answer: LightMyRequestResponse, { ruling, nowhere, unknown, isRefused }: Trial): boolean {
  const told = rulingOf(answer)
  if (ruling === 'hidden') return answer.statusCode === unknown
  // What is done to nothing in particular may fail for other reasons: a link too old, a form not filled in.
  if (ruling === 'allowed' && nowhere === null)
    return answer.statusCode < 500 && told !== 'sign-in' && told !== 'forbidden'
  return isRefused === true && ruling === 'allowed' ? answer.statusCode === 422 : told === ruling
}

/** An answer without what differs from request to request, and without what was asked for. */
function withoutNames(answer: LightMyRequestResponse, path: string, fields: Trial['fields']): string {
  const asked = [path, encodeURIComponent(path), fields.course ?? path]
  const text = withoutTokens(withoutRequestId(answer.body))
  return asked.reduce((rest, name) => rest.replaceAll(name, '…'), text)
}
