import { createHash } from 'node:crypto'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Write } from '../../database/schema.ts'
import type { Named } from '../../kernel/actor.ts'
import { logEvent } from '../../kernel/audit/note.ts'
import type { Careful, Operation } from '../../kernel/operation.ts'
import { inTransaction, performIn, prepare, type Surroundings } from '../../kernel/perform.ts'
import { type Once, postOnce } from '../../kernel/posted-once.ts'
import { Problem, Refused } from '../../kernel/problem.ts'
import type { Message } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../appearance.ts'
import type { FlashAct } from '../flash.ts'
import { type FormState, sentFields, typedIn, withBoxes } from '../form.ts'
import { networkOf } from '../limits/limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The operations that forms perform, by the path of the form. */
    readonly forms: Map<string, readonly string[]>
  }
}

/** A message for the next page, with a button beside it: as text, what undoes what was done. */
export interface Said {
  readonly said: string | readonly Message[]
  readonly act?: string | FlashAct | undefined
}

type Sent = Readonly<Record<string, unknown>>

/** How an operation's form is read, and what its sender sees. */
export interface FormDoor<Key, Outcome> {
  /** The subject's key in the address. */
  key(request: FastifyRequest): Key | Promise<Key>
  /** The page of this form, for a visitor who must sign in first. */
  readonly formPage?: (request: FastifyRequest) => string | Promise<string>
  /** Fields whose text is kept while a visitor signs in, and shown again; true: those of the operation. */
  readonly keeps?: true | readonly string[]
  /** Fields of which the form has several boxes: their values are one text, with blanks between them. */
  readonly boxes?: readonly string[]
  /** It is sent without a token, by what is no page of ours: web/csrf.ts. */
  readonly isFromAnywhere?: boolean
  /** The actor of a form that visitors may send, or whose address names one; left out: the person, who has to be signed in. */
  actor?(request: FastifyRequest): Named
  /** The answer where the form asks for something else than the operation; null: it does not. Nothing is done then. */
  instead?(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** Values of the operation's fields, where the form's names or shapes differ. */
  input?(request: FastifyRequest, reply: FastifyReply): Sent | Promise<Sent>
  /** A further write in the same transaction, such as ending a draft. */
  also?(write: Write, request: FastifyRequest, outcome: Outcome): Promise<void>
  /** What follows in transactions of its own, once this one is committed. */
  afterwards?(request: FastifyRequest, outcome: Outcome): Promise<void>
  /** The page to redirect to. */
  done(outcome: Outcome, request: FastifyRequest): string
  /** The message on the next page; left out: none. @param outcome null: the same form came before */
  flash?(
    request: FastifyRequest,
    outcome: Outcome | null,
    path: string,
  ): string | Said | Promise<Said | string>
  /** A page that its sender is shown at once instead of being led on; null: they are, perhaps with a cookie. */
  shown?(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): unknown
  /** Makes the answer take as long, whatever there was to do. */
  pace?<Done>(work: Promise<Done>): Promise<Done>
  /** The form again, with what was typed and what is wrong, as 422; nothing: a page that says so. */
  refused?(request: FastifyRequest, reply: FastifyReply, form: FormState): Promise<unknown>
  /** Another answer, 409, to a failure that only this form has; null: there is none. */
  failed?(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
    form: FormState,
  ): Promise<unknown> | null
}

/** Begins the list of an app's forms. */
export function registerForms(app: FastifyInstance): void {
  app.decorate('forms', new Map())
}

/** A form of an operation. */
export interface OperationForm {
  readonly name: string
  readonly config: FastifyContextConfig & { readonly keeps: readonly string[] }
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

/**
 * Opens a form to an operation: POST, then 303 with a message. What was typed comes back when it is refused.
 * @param path of the form, with `:id` and the like for what the operation is done to
 */
export function openForm<Key, Outcome>(
  app: FastifyInstance,
  path: string,
  operation: Operation<Key, Outcome>,
  door: FormDoor<Key, NoInfer<Outcome>>,
): void {
  const form = formOf(operation, door)
  openForms(app, path, [form], () => form)
}

/** Opens several at one path, of which what is sent chooses. */
export function openForms(
  app: FastifyInstance,
  path: string,
  forms: readonly [OperationForm, ...OperationForm[]],
  choose: (request: FastifyRequest) => OperationForm | Promise<OperationForm>,
): void {
  const names = forms.map(({ name }) => name)
  app.forms.set(path, names)
  const config = { ...forms[0].config, keeps: forms.flatMap(({ config }) => config.keeps) }
  app.post(path, { config }, async (request, reply) => (await choose(request)).handle(request, reply))
}

export function formOf<Key, Outcome>(
  operation: Operation<Key, Outcome>,
  door: FormDoor<Key, NoInfer<Outcome>>,
): OperationForm {
  const own = Object.keys(operation.input)
  const { boxes = [] } = door
  const kept = door.keeps === true ? own : (door.keeps ?? [])
  const config = {
    limit: operation.limit,
    needsPerson: door.actor === undefined,
    isFromAnywhere: door.isFromAnywhere === true,
    ...(door.formPage !== undefined && { formPage: door.formPage }),
    keeps: kept,
    boxes,
  }
  async function handle(request: FastifyRequest, reply: FastifyReply) {
    if (boxes.length > 0) request.body = withBoxes(request.body, boxes)
    const other = (await door.instead?.(request, reply)) ?? null
    // A reply that was awaited is nothing any more: its page or its redirect went out.
    if (other !== null || reply.sent) return other ?? reply
    try {
      return await answerTo(request, reply, operation, door)
    } catch (error) {
      const errors = error instanceof Refused ? error.errors : []
      const form = { typed: typedIn(request.body, [...own, ...kept]), errors }
      const answer = door.failed?.(request, reply.code(409), error, form) ?? null
      if (answer !== null) return answer
      if (!(error instanceof Refused)) throw error
      if (door.refused === undefined) throw new Problem('invalid')
      return door.refused(request, reply.code(422), form)
    }
  }
  return { name: operation.name, config, handle }
}

/** Performs an operation, once for all that come of one form where it says so, and shows what became of it. */
async function answerTo<Key, Outcome>(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation<Key, Outcome>,
  door: FormDoor<Key, NoInfer<Outcome>>,
): Promise<unknown> {
  const { person, server } = request
  const call = {
    input: (await door.input?.(request, reply)) ?? sentFields(request.body),
    key: await door.key(request),
    actor: door.actor === undefined ? person : door.actor(request),
  }
  const once = operation.once ? onceOf(request, person?.id ?? null) : null
  async function work() {
    const { baseUrl } = server.config
    const prepared = await prepare(server.db, operation, { ...call, baseUrl })
    const posted = await inTransaction(server.db, surroundingsOf(request), (write, within) =>
      postOnce(write, once, async () => {
        const outcome = await performIn(write, prepared, within)
        await door.also?.(write, request, outcome)
        return { outcome, path: door.done(outcome, request) }
      }),
    )
    if (posted.outcome !== null) await door.afterwards?.(request, posted.outcome)
    const page = posted.outcome === null ? null : await door.shown?.(request, reply, posted.outcome)
    return { ...posted, page: page ?? null }
  }
  const { outcome, path, page } = await (door.pace?.(work()) ?? work())
  if (page !== null) return page
  // As above.
  if (reply.sent) return reply
  const said = await door.flash?.(request, outcome, path)
  if (typeof said === 'string') reply.flash(said)
  else if (said !== undefined) reply.flash(said.said, said.act)
  return reply.redirect(path, 303)
}

/** What people don't see in a form (views/components/_trap.eta), and programs fill that fill every field. */
const TRAP = 'topic_note'

function carefulOf({ server, body, ip }: FastifyRequest): Careful {
  const { careful } = server.config
  return careful && { ...careful, network: networkOf(ip), isTrapped: (sentFields(body)[TRAP] ?? '') !== '' }
}

/** The context of an operation, from a request. */
export function surroundingsOf(request: FastifyRequest): Surroundings {
  return {
    baseUrl: request.server.config.baseUrl,
    careful: carefulOf(request),
    language: languageOfRequest(request),
    log: (name, details) => logEvent(request, name, details),
  }
}

/**
 * The key of a form as it was sent: who (null: a visitor), where, and every field, the form's own `_csrf` token included, which is new on
 * each page and bound to the browser of a visitor. So the same words from two pages are two posts, and a double click is one.
 */
function onceOf(request: FastifyRequest, personId: number | null): Once {
  const fields = Object.entries(request.body ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  const path = request.url.split('?')[0]
  const key = createHash('sha256')
    .update(JSON.stringify([personId, path, fields]))
    .digest()
  return { key, personId }
}
