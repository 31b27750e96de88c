import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { aCraftedProvider, type CraftedProvider } from '../accounts/providers/crafted-provider-testing.ts'
import { testAppThatLogs } from './app.ts'
import type { Ending } from './at-end.ts'
import { type Browser, type Fields, stayingSignedIn, visitor } from './browser.ts'
import { multipartForm, type SentFile } from './multipart.ts'
import { aSmallForum, type SmallForum } from './small-forum.ts'
import { undoneDatabase } from './undone.ts'

/** What an example needs beyond the forum: parts of its form's address by name, and whatever its fields name. */
export type Made = Readonly<Record<string, string | number>>

/** A small forum with somewhere else to sign in. */
export interface ExampleForum extends SmallForum {
  readonly provider: CraftedProvider
  readonly providerId: number
}

/** How an operation is done once, by its form, in a forum in which nothing was done before but what `after` says. */
export interface Example {
  /** Who does it; the asker of the question, unless said. */
  readonly as?: keyof SmallForum['as'] | 'visitor'
  /** What is done before: names of operations. */
  readonly after?: readonly string[]
  /** Makes or finds what it is done to. */
  find?(forum: ExampleForum, browser: Browser): Promise<Made>
  readonly input?: Fields | ((forum: ExampleForum, made: Made) => Fields)
  /** A picture that is sent with it. */
  file?(): Promise<Buffer>
  /** Instead of some of that: what the form refuses. Left out: it has no field that could be wrong. */
  readonly wrong?: Fields
  /** What a program sends in place of a form's text, where that has another shape. */
  readonly typed?: Readonly<Record<string, unknown>>
  /** What is no page of ours sends it as well, without a token; 'program': which is answered by no page either. */
  readonly isFromAnywhere?: true | 'program'
  /** What differs where another form does it, by the form's address. */
  readonly at?: Readonly<Record<string, Omit<Example, 'at'>>>
}

export type Examples = Readonly<Record<string, Example>>

/** Begins texts of examples, so that a page can be asked for what was typed. */
export const TYPED = 'Typed for an hour, and never lost'

/** A form and an operation that it performs, ready to be sent. */
export interface Sending {
  readonly as: NonNullable<Example['as']>
  readonly browser: Browser
  readonly path: string
  readonly fields: Fields
  readonly file: SentFile | null
  /** Instead of some of `fields`; null: nothing can be wrong. */
  readonly wrong: Fields | null
  readonly isFromAnywhere: boolean | 'program'
}

/** Where operations have their forms: `app.forms`. */
type Forms = ReadonlyMap<string, readonly string[]>

/** The examples of all rooms, and their forms. */
export function examplesOf(examples: Examples, forms: Forms) {
  const formOf = (name: string) =>
    [...forms].find(([, names]) => names.includes(name))?.[0] ?? assert.fail(`no form does ${name}`)

  /** Prepares the example of an operation for one of its forms. */
  async function prepare(forum: ExampleForum, name: string, form = formOf(name)): Promise<Sending> {
    const { at, ...usual } = examples[name] ?? assert.fail(`no example of ${name}`)
    const {
      as = 'asker',
      after = [],
      find,
      input = {},
      wrong,
      file,
      isFromAnywhere = false,
    } = { ...usual, ...at?.[form] }
    for (const other of after) await doOnce(forum, other)
    const browser = as === 'visitor' ? visitor(forum.app) : forum.as[as]
    const made = (await find?.(forum, browser)) ?? {}
    const fields = inputOf(input, forum, made)
    return {
      as,
      browser,
      path: pathOf(form, forum, made),
      fields,
      file: file === undefined ? null : { bytes: await file(), filename: 'a.png', type: 'image/png' },
      isFromAnywhere,
      wrong: wrong ?? null,
    }
  }

  /** Does an operation by its form. @throws when it isn't done */
  async function doOnce(forum: ExampleForum, name: string): Promise<LightMyRequestResponse> {
    const sending = await prepare(forum, name)
    const answer = await send(sending)
    assert.ok(answer.statusCode < 400, `${name}: ${answer.statusCode} ${answer.body}`)
    return answer
  }

  /** Prepares the example of an operation for programs. @param address below /api/v1. @param isTakenBack it was done before */
  async function prepareForProgram(forum: ExampleForum, name: string, address: string, isTakenBack: boolean) {
    const {
      as = 'asker',
      after = [],
      find,
      typed,
      wrong,
      input: given = {},
    } = examples[name] ?? assert.fail(`no example of ${name}`)
    if (isTakenBack) await doOnce(forum, name)
    else for (const other of after) await doOnce(forum, other)
    const made = isTakenBack ? {} : ((await find?.(forum, forum.as.asker)) ?? {})
    const input = inputOf(given, forum, made)
    const person = forum[as === 'visitor' ? 'asker' : as]
    return {
      as,
      person,
      path: pathOf(address, forum, made),
      body: { ...input, ...typed },
      wrong: wrong ?? null,
    }
  }

  return { prepare, prepareForProgram, doOnce }
}

const inputOf = (input: NonNullable<Example['input']>, forum: ExampleForum, made: Made) =>
  typeof input === 'function' ? input(forum, made) : input

/** @param token another than that of a page; null: none */
export async function send(
  { browser, path, fields, file }: Pick<Sending, 'browser' | 'path' | 'fields' | 'file'>,
  token?: string | null,
): Promise<LightMyRequestResponse> {
  if (file === null) return browser.post(path, fields, token === undefined ? {} : { token })
  const own = token === undefined ? await browser.token() : token
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const content = multipartForm({ ...texts, ...(own !== null && { _csrf: own }) }, file)
  return browser.post(path, {}, { ...content, token: null })
}

/** Finds the newest row of a table, whose id is the form's. */
export const newest =
  (
    table:
      | 'api_tokens'
      | 'apps'
      | 'audit'
      | 'bulk_acts'
      | 'cases'
      | 'faq_entries'
      | 'identity_providers'
      | 'invitations'
      | 'jobs'
      | 'mails'
      | 'measures'
      | 'provider_roles'
      | 'reports'
      | 'saved_answers',
  ) =>
  ({ db }: Pick<SmallForum, 'db'>): Promise<{ id: number }> =>
    db.selectFrom(table).select('id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()

/** The address of a form, in which what the example doesn't make is what the forum has; `query`: what is behind it. */
function pathOf(form: string, forum: SmallForum, made: Made): string {
  const { question, answer, reply, helper, announcementId } = forum
  const ids: Readonly<Record<string, number>> = {
    ...{ questions: question.id, answers: answer.id, replies: reply.id },
    ...{ people: helper.id, announcements: announcementId },
  }
  const id = ids[form.replace('/admin', '').split('/')[1] ?? ''] ?? 0
  const usual: Made = { id, course: 'rest', position: 2, tag: 'http', person: helper.id, provider: 'oidc' }
  const parts = { ...usual, ...made }
  const path = form.replace(/:(\w+)/g, (_, name: string) =>
    String(parts[name] ?? assert.fail(`${form}: ${name}`)),
  )
  return made.query === undefined ? path : `${path}?${made.query}`
}

/** The forum of examples, and how to do something in it that is undone afterwards. */
export async function anExampleForum(test: Ending) {
  const { db, undone } = await undoneDatabase(test)
  const provider = await aCraftedProvider(test)
  const { app, lines } = await testAppThatLogs(test, db, provider.config)
  const small = await aSmallForum(db, app)
  const { id: providerId } = await db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()
  const forum = { ...small, provider, providerId }
  return {
    forum,
    lines,
    undone: <Result>(work: () => Promise<Result>) =>
      stayingSignedIn(Object.values(forum.as), () => undone(work)),
  }
}
