import { askingOf } from '../../accounts/identity/reauthentication.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { agedMoment, writtenDate, writtenMoment } from '../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import type { PageContext } from '../../web/page.ts'
import { choiceParam } from '../../web/params.ts'
import { pathWith } from '../../web/paths.ts'
import { EVENT_TYPES } from '../events/event.ts'
import { CHAT, KINDS, type WebhookKind } from './kinds.ts'
import { webhookChange } from './operations.ts'
import { webhooksPath } from './stops.ts'
import { findWebhook, type ListedWebhook, listDeliveries, listWebhooks } from './webhook.ts'

/** Whose webhooks: of a course, or (null) of the forum. */
type Of = { readonly id: number; readonly slug: string } | null

/** The webhooks of a course or of the forum, and the form for another: views/webhooks/_list.eta. */
export async function webhookList(context: PageContext, of: Of, sent?: FormState) {
  const { t, db } = context
  const path = webhooksPath(of?.slug ?? null)
  const webhooks = await listWebhooks(db, of?.id ?? null)
  const typed = KINDS.find((one) => one === sent?.typed.kind)
  const kind = sent === undefined ? choiceParam(context, 'kind', KINDS, null) : (typed ?? null)
  const form = sent ?? freshForm({ types: 'question.created answer.created', chat: 'new' })
  const title = t('webhooks.title')
  return {
    title: kind === null ? title : `${title} · ${t(`webhooks.kind.${kind}`)}`,
    path,
    form,
    webhooks: webhooks.map((webhook) => ({
      ...headOf(t, webhook),
      path: `${path}/${webhook.id}`,
      owner: webhook.owner,
    })),
    kinds: KINDS.map((one) => ({
      path: `${pathWith(path, { kind: one })}#new`,
      text: t(`webhooks.kind.${one}`),
      isCurrent: one === kind,
    })),
    making: kind && { kind, ...(await fieldsOf(context, kind, form, '')) },
  }
}

/** A webhook with its last deliveries: views/webhooks/_one.eta. @param secret one that was just made: shown once. @throws Problem 404 */
export async function oneWebhook(
  context: PageContext,
  of: Of,
  id: number,
  sent?: FormState,
  secret?: string,
) {
  const { t, db, now } = context
  const [webhook, timeZone] = [await findWebhook(db, of?.id ?? null, id), await context.timeZone()]
  if (webhook === null) throw notFound()
  const { kind } = webhook
  const form = sent ?? freshForm(typedOf(webhook))
  const head = headOf(t, webhook)
  const deliveries = await listDeliveries(db, id)
  const backPath = webhooksPath(of?.slug ?? null)
  const path = `${backPath}/${id}`
  return {
    ...head,
    title: `${head.kind} · ${head.address}`,
    ...{ backPath, path },
    form,
    secret: secret ?? null,
    hasSecret: kind === 'standard',
    owner: webhook.owner,
    made: writtenDate(webhook.created_at, timeZone, t),
    // In words, and what to do about it.
    note: head.isOn ? null : t(`webhooks.note.${head.state}`),
    takeover: takeoverOf(webhook, context),
    ...(await fieldsOf(context, kind, form, head.address)),
    deliveries: deliveries.map((delivery) => ({
      what: whatText(t, delivery.type ?? delivery.what),
      at: agedMoment(delivery.planned_at, timeZone, t, now),
      outcome: outcomeText(t, delivery),
      next:
        delivery.done_at === null && delivery.tries > 0 ? writtenMoment(delivery.due_at, timeZone, t) : null,
      againPath: `${path}/deliveries/${delivery.id}/again`,
    })),
  }
}

/** How one takes it over: `on` where that is what is missing. null: it is theirs, and on. */
function takeoverOf({ stopped, owner_id: ownerId }: ListedWebhook, { viewer }: PageContext) {
  if (stopped === null) return ownerId === viewer?.id ? null : 'over'
  return stopped === 'owner' ? 'over' : 'on'
}

function headOf(t: Translate, webhook: ListedWebhook) {
  const state = webhook.stopped ?? (webhook.archived_at === null ? 'on' : 'archived')
  return {
    kind: t(`webhooks.kind.${webhook.kind}`),
    address: webhook.shown_address,
    state,
    stateText: t(`webhooks.state.${state}`),
    isOn: state === 'on',
  }
}

function typedOf({ types, chat, with_names, with_private }: ListedWebhook): Record<string, string> {
  const tick = (is: boolean) => (is ? '1' : '')
  return {
    types: types.join(' '),
    chat: chat.join(' '),
    names: tick(with_names),
    private: tick(with_private),
  }
}

/** The controls of the form of a kind. @param address that it has already; '': none */
async function fieldsOf(context: PageContext, kind: WebhookKind, form: FormState, address: string) {
  const { t } = context
  const box = (field: 'types' | 'chat', value: string, text: string) => {
    const chosen = (form.typed[field] ?? '').split(' ')
    return { value, text, isChosen: chosen.includes(value) }
  }
  const { url, names, private: withPrivate } = webhookChange.input
  return {
    fields: context.formFields('webhooks', { url, names, private: withPrivate }, form, {
      url: {
        ...{ type: 'url', required: address === '', optional: address !== '', maxlength: 2000 },
        ...{ spellcheck: false, autocomplete: 'off' },
        hintValues: { kind: address === '' ? kind : 'kept', address },
      },
    }),
    /** Boxes of one name, in groups. */
    boxes:
      kind === 'standard'
        ? {
            name: 'types',
            groups: [...Map.groupBy(EVENT_TYPES, (type) => type.split('.')[0] ?? '')].map(
              ([subject, types]) => ({
                legend: t(`webhooks.types.${subject}`),
                choices: types.map((type) => box('types', type, whatText(t, type))),
              }),
            ),
          }
        : {
            name: 'chat',
            groups: [
              {
                legend: t('webhooks.chat'),
                choices: CHAT.map((one) => box('chat', one, t(`webhooks.chat.${one}`))),
              },
            ],
          },
    isProgram: kind === 'standard',
    ...(await askingOf(context, 'key')),
  }
}

/** A type of events, or what else is sent. */
const whatText = (t: Translate, what: string) => t(`webhooks.what.${what.replace('.', '-')}`)

type Delivery = Awaited<ReturnType<typeof listDeliveries>>[number]

/** What became of the last try. Whatever didn't answer could not be connected to: the page is no probe of a network. */
function outcomeText(t: Translate, { outcome, done_at: doneAt }: Delivery): string {
  if (outcome === null) return t('webhooks.outcome.waiting')
  if (!/^\d{3}$/.test(outcome))
    return t(`webhooks.outcome.${outcome === 'dropped' ? 'dropped' : 'unreachable'}`)
  return t(`webhooks.outcome.${doneAt !== null && outcome.startsWith('2') ? 'sent' : 'refused'}`, {
    status: outcome,
  })
}
