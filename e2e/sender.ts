import { setTimeout as sleep } from 'node:timers/promises'
import { beginSession } from '../src/accounts/sessions/sessions.ts'
import type { Forum } from './forum.ts'

/** How often a forum that is too busy is asked again, and after how long. */
const MAX_ATTEMPTS = 20
const PAUSE_MS = 500

/** Sends forms over HTTP as a browser does, without the browser: thousands of them in a minute. */
export interface Sender {
  get(path: string): Promise<Response>
  /** Sends a form with the `_csrf` of a page fetched before. Redirects are not followed. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Response>
}

/** Somebody's, signed in. */
export async function senderOf(forum: Forum, person: { readonly id: number }): Promise<Sender> {
  const cookies = new Map([['session', await beginSession(forum.db, person.id, 'a browser test')]])

  async function send(path: string, init: RequestInit): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await whenNotBusy(() =>
      fetch(`${forum.url}${path}`, {
        ...init,
        redirect: 'manual',
        headers: { ...init.headers, cookie, accept: 'text/html' },
      }),
    )
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    return answer
  }

  const page = await (await send('/settings', {})).text()
  const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return {
    get: (path) => send(path, {}),
    post(path, fields) {
      const body = new URLSearchParams({ _csrf: token, ...fields })
      return send(path, {
        method: 'POST',
        body,
        headers: { origin: forum.url, 'sec-fetch-site': 'same-origin' },
      })
    },
  }
}

/** 503 and Retry-After: nothing was done, for want of time on a busy machine. */
async function whenNotBusy(ask: () => Promise<Response>): Promise<Response> {
  for (let attempts = 1; ; attempts += 1) {
    const answer = await ask()
    if (answer.status !== 503 || !answer.headers.has('retry-after') || attempts === MAX_ATTEMPTS)
      return answer
    await answer.arrayBuffer()
    await sleep(PAUSE_MS)
  }
}
