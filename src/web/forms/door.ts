import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EVENTS } from '../../audit-log/kinds.ts'
import { writeEvent } from '../../audit-log/note.ts'
import type { Write } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'
import type { Named } from '../../operations/actor.ts'
import type { Operation } from '../../operations/operation.ts'
import { type Call, inTransaction, perform, performIn, type Surroundings } from '../../operations/perform.ts'
import { postOnce } from '../../operations/posted-once.ts'
import { Problem } from '../../operations/problem.ts'
import { Refused } from '../../operations/refused.ts'
import type { FlashAct } from '../flash.ts'
import { type FormState, sentFields, typedIn } from '../form.ts'
import { languageOfRequest } from '../language.ts'
import { onceOf } from '../once.ts'

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
  /** Visitors may send it. */
  readonly isForVisitors?: boolean
  /** It is sent without a token, by what is no page of ours: web/csrf.ts. */
  readonly isFromAnywhere?: boolean
  /** The actor, where the address itself names one; the signed-in person otherwise. */
  actor?(request: FastifyRequest): Named
  /** The answer where the form asks for something else than the operation; null: it does not. Nothing is done then. */
  instead?(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
  /** Values of the operation's fields, where the form's names or shapes differ. */
  input?(request: FastifyRequest, reply: FastifyReply): Sent | Promise<Sent>
  /** A further write in the same transaction, such as ending a draft. */
  also?(write: Write, request: FastifyRequest, outcome: Outcome): Promise<void>
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
  /** The form again, with what was typed and what is wrong; nothing: a page that says so. */
  refused?(request: FastifyRequest, reply: FastifyReply, form: FormState): Promise<unknown>
  /** Another answer to a failure that only this form has; null: there is none. */
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
  choose: (request: FastifyRequest) => OperationForm,
): void {
  app.forms.set(
    path,
    forms.map(({ name }) => name),
  )
  const config = { ...forms[0].config, keeps: forms.flatMap(({ config }) => config.keeps) }
  app.post(path, { config }, async (request, reply) => choose(request).handle(request, reply))
}

export function formOf<Key, Outcome>(
  operation: Operation<Key, Outcome>,
  door: FormDoor<Key, NoInfer<Outcome>>,
): OperationForm {
  const own = Object.keys(operation.input)
  const kept = door.keeps === true ? own : (door.keeps ?? [])
  const names = [...new Set([...own, ...kept])]
  const { formPage, pace = (work) => work } = door
  const config = {
    limit: operation.limit,
    needsPerson: door.isForVisitors !== true,
    isFromAnywhere: door.isFromAnywhere === true,
    ...(formPage !== undefined && { formPage }),
    keeps: kept,
  }
  async function handle(request: FastifyRequest, reply: FastifyReply) {
    const other = (await door.instead?.(request, reply)) ?? null
    if (other !== null) return other
    try {
      const input = (await door.input?.(request, reply)) ?? sentFields(request.body)
      const key = await door.key(request)
      const call = {
        actor: door.actor === undefined ? request.person : door.actor(request),
        key,
        input,
        also: async (write: Write, outcome: Outcome) => door.also?.(write, request, outcome),
      }
      const { outcome, path, page } = await pace(answered(request, reply, operation, call, door))
      if (page !== null) return page
      const said = await door.flash?.(request, outcome, path)
      if (typeof said === 'string') reply.flash(said)
      else if (said !== undefined) reply.flash(said.said, said.act)
      return reply.redirect(path, 303)
    } catch (error) {
      const form = {
        typed: typedIn(request.body, names),
        errors: error instanceof Refused ? error.errors : [],
      }
      const answer = door.failed?.(request, reply, error, form) ?? null
      if (answer !== null) return answer
      if (!(error instanceof Refused)) throw error
      if (door.refused === undefined) throw new Problem('invalid')
      return door.refused(request, reply, form)
    }
  }
  return { name: operation.name, config, handle }
}

/** Performs an operation, and makes the page or the cookie that it is answered with. */
async function answered<Key, Outcome>(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation<Key, Outcome>,
  call: Call<Key, Outcome>,
  door: FormDoor<Key, Outcome>,
) {
  const done = await performed(request, operation, call, door)
  const page = done.outcome === null ? null : await door.shown?.(request, reply, done.outcome)
  return { ...done, page: page ?? null }
}

/** Performs an operation, once for all that come of one form where it says so. */
function performed<Key, Outcome>(
  request: FastifyRequest,
  operation: Operation<Key, Outcome>,
  call: Call<Key, Outcome>,
  { done }: FormDoor<Key, Outcome>,
): Promise<{ readonly outcome: Outcome | null; readonly path: string }> {
  const { person, server } = request
  const once = operation.once ? onceOf(request, person?.id ?? null) : null
  return inTransaction(server.db, surroundingsOf(request), async (write, within) => {
    let first: Outcome | null = null
    const path = await postOnce(write, once, async () => {
      first = await performIn(write, operation, call, within)
      return done(first, request)
    })
    return { outcome: first, path }
  })
}

/** Performs an operation besides that of the form, in a transaction of its own. */
export function performFor<Key, Outcome>(
  request: FastifyRequest,
  operation: Operation<Key, Outcome>,
  key: Key,
  input: Sent,
): Promise<Outcome> {
  const call = { actor: request.person, key, input }
  return perform(request.server.db, operation, call, surroundingsOf(request))
}

/** The context of an operation, from a request. */
export function surroundingsOf(request: FastifyRequest): Surroundings {
  return {
    baseUrl: request.server.config.baseUrl,
    language: languageOfRequest(request),
    log(name, details) {
      const fields: readonly string[] = EVENTS[name].fields
      const address = fields.includes('address') ? { address: request.ip } : {}
      writeEvent(request.log, name, { ...address, ...details })
    },
  }
}
