import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { KeptApps } from '../../accounts/apps/access.ts'
import { appRegistration } from '../../accounts/apps/registration.ts'
import { agentsOn, anAppToken, aRegisteredApp } from '../../accounts/apps/testing.ts'
import { anOwner, PASSWORD } from '../../accounts/testing.ts'
import { findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { refuses } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'

suite('admins look after apps', () => {
  const forum = sharedForum()
  const anAdmin = () => anOwner(forum.db, { isAdmin: true })

  test('they register one with its addresses, each once, and people know it by the id that is shown', async () => {
    const admin = await anAdmin()
    const browser = await signedIn(forum.app, admin)
    const redirect_uris = 'https://a.example/cb\r\n\r\n http://127.0.0.1/cb \r\nhttps://a.example/cb'
    const done = await browser.post('/admin/apps', { name: 'Assistant', redirect_uris })
    assert.equal(done.headers.location, '/admin/apps')
    const [app] = await rowsOf(forum.db, 'apps', { name: 'Assistant' })
    assert.deepEqual(app?.redirect_uris, ['https://a.example/cb', 'http://127.0.0.1/cb'])
    assert.ok(textOf((await browser.get('/admin/apps')).body).includes(app?.client_id ?? 'none'))
  })

  test('addresses are https or this device, twenty at most', async () => {
    const actor = await anAdmin()
    const lines = (count: number) =>
      Array.from({ length: count }, (_, at) => `https://a.example/${at}`).join('\n')
    const wrong = [
      ...['http://a.example/cb', 'https://a.example/cb#x', 'https://me@a.example/cb', 'app://callback'],
      ...['javascript:alert(1)', 'a.example/cb'],
    ]
    await refuses(forum, appRegistration, { actor, key: null }, [
      [{ name: ' ', redirect_uris: lines(1) }, 'name: apps.name.short'],
      [{ name: 'A', redirect_uris: '' }, 'redirect_uris: apps.redirect_uris.short'],
      [{ name: 'A', redirect_uris: lines(21) }, 'redirect_uris: apps.redirect_uris.many'],
      ...wrong.map(
        (address) =>
          [{ name: 'A', redirect_uris: address }, 'redirect_uris: apps.redirect_uris.wrong'] as const,
      ),
    ])
  })

  test('they end one for everyone who let it in, and no other', async () => {
    await agentsOn(forum.db)
    const { db } = forum
    const [app, other] = [await aRegisteredApp(db), await aRegisteredApp(db)]
    const people = [await aPerson(db), await aPerson(db)]
    const tokens = await Promise.all(people.map((person) => anAppToken(db, person, { app })))
    const [first = assert.fail()] = people
    const stays = await anAppToken(db, first, { app: other })
    const browser = await signedIn(forum.app, await anAdmin())
    const [row] = await rowsOf(db, 'apps', { client_id: app.clientId })
    assert.equal((await browser.post(`/admin/apps/${row?.id}/end`)).statusCode, 303)
    const accessOf = (token: string) => new KeptApps(db, null).accessOf(token)
    for (const { access } of tokens) assert.equal(await accessOf(access), null)
    assert.notEqual(await accessOf(stays.access), null)
    const [entry] = (await rowsOf(db, 'audit', { act: 'app-removed' })).slice(-1)
    assert.deepEqual(entry?.detail, { appId: row?.id, people: 2 })
    assert.equal((await browser.post(`/admin/apps/${row?.id}/end`)).statusCode, 404)
  })

  test('agents are off until an admin lets them in, and listed domains are named', async () => {
    const browser = await signedIn(forum.app, await anAdmin())
    const settings = { staff_second_factor: 'optional', current_password: PASSWORD }
    const send = (fields: Readonly<Record<string, string>>) =>
      browser.post('/settings/site', { ...settings, ...fields })
    await agentsOn(forum.db, { agents: 'off' })
    assert.equal(valueIn((await browser.get('/settings/site')).body, 'agents'), 'off')
    const unnamed = await send({ agents: 'domains', agent_domains: '' })
    assert.equal(unnamed.statusCode, 422)
    assert.match(textOf(unnamed.body), /Enter the domains that apps can come from/)
    const wrong = await send({ agents: 'domains', agent_domains: 'no domain' })
    assert.deepEqual([wrong.statusCode, valueIn(wrong.body, 'agent_domains')], [422, 'no domain'])
    assert.equal((await send({ agents: 'sometimes' })).statusCode, 422)
    const policy = async () => {
      const { agents, agentDomains } = await findSiteSettings(forum.db)
      return { agents, agentDomains }
    }
    assert.deepEqual(await policy(), { agents: 'off', agentDomains: [] })
    assert.equal((await send({ agents: 'domains', agent_domains: 'a.example, B.example' })).statusCode, 303)
    assert.deepEqual(await policy(), { agents: 'domains', agentDomains: ['a.example', 'b.example'] })
    // Left out, both stay.
    assert.equal((await send({})).statusCode, 303)
    assert.deepEqual(await policy(), { agents: 'domains', agentDomains: ['a.example', 'b.example'] })
  })
})
