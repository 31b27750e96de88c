import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseFormOfStranger, refuseStranger } from '../../accounts/identity/reauthentication.ts'
import { type FormState, form, typedIn, withBoxes } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import {
  webhookChange,
  webhookEnding,
  webhookMaking,
  webhookRedelivery,
  webhookSecretRotation,
  webhookTakeover,
  webhookTest,
} from './operations.ts'
import { webhooksPath } from './stops.ts'

type Show = (request: FastifyRequest, reply: FastifyReply, form?: FormState) => Promise<unknown>

/** Where webhooks have their pages and forms. */
interface WebhookDoors {
  /** Of the list; each has its pages below. */
  readonly path: string
  /** Of the course in the address; null: they are the forum's. */
  slugIn(request: FastifyRequest): string | null
  /** Asked before a password is. @throws Problem, NeedsSignIn */
  mustManage(request: FastifyRequest): Promise<unknown> | unknown
  readonly showList: Show
  showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    id: number,
    form?: FormState,
    secret?: string,
  ): Promise<unknown>
}

const makingForm = form(webhookMaking.input)
const changeForm = form(webhookChange.input)
const BOXES = ['types', 'chat'] as const

/** Webhooks of the forum and those of a course have the same doors. What sends posts elsewhere asks for a password, as tokens do. */
export function openWebhooks(app: FastifyInstance, doors: WebhookDoors): void {
  const { path, slugIn, mustManage, showList, showOne } = doors
  const one = `${path}/:id`
  const reach = app.config
  const placeIn = (request: FastifyRequest) => ({ slug: slugIn(request), keys: app.secretKeys, reach })
  const keyOf = (request: FastifyRequest) => ({ ...placeIn(request), webhookId: idParam(request, 'id') })
  const formPage = (request: FastifyRequest) => webhooksPath(slugIn(request))
  const pathOf = ({ slug, id }: { readonly slug: string | null; readonly id: number }) =>
    `${webhooksPath(slug)}/${id}`
  const showAgain: Show = (request, reply, form) => showOne(request, reply, idParam(request, 'id'), form)
  const onOne = { key: keyOf, formPage, done: pathOf, refused: showAgain }

  app.get(path, (request, reply) => showList(request, reply))
  app.get(one, (request, reply) => showAgain(request, reply))
  openForm(app, path, webhookMaking, {
    key: placeIn,
    formPage,
    async instead(request, reply) {
      await mustManage(request)
      request.body = withBoxes(request.body, BOXES)
      return refuseFormOfStranger(request, reply, makingForm, showList, 'key')
    },
    done: pathOf,
    shown: (request, reply, { id, secret }) =>
      secret === null ? null : showOne(request, reply, id, undefined, secret),
    flash: () => 'webhooks.flash.made',
    refused: showList,
  })
  openForm(app, one, webhookChange, {
    ...onOne,
    async instead(request, reply) {
      await mustManage(request)
      request.body = withBoxes(request.body, BOXES)
      return refuseFormOfStranger(request, reply, changeForm, showAgain, 'key')
    },
    flash: () => 'webhooks.flash.changed',
  })
  openForm(app, `${one}/secret`, webhookSecretRotation, {
    ...onOne,
    async instead(request, reply) {
      await mustManage(request)
      // The button is one of the form that changes the webhook: what was typed there stays.
      const typed = typedIn(withBoxes(request.body, BOXES), Object.keys(changeForm.fields))
      const show: Show = (_, reply, refused) =>
        showAgain(request, reply, { typed, errors: refused?.errors ?? [] })
      return refuseStranger(request, reply, show, 'key')
    },
    shown: (request, reply, { id, secret }) => showOne(request, reply, id, undefined, secret),
  })
  openForm(app, `${one}/owner`, webhookTakeover, { ...onOne, flash: () => 'webhooks.flash.takenOver' })
  openForm(app, `${one}/test`, webhookTest, { ...onOne, flash: () => 'webhooks.flash.test' })
  openForm(app, `${one}/deliveries/:delivery/again`, webhookRedelivery, {
    ...onOne,
    key: (request) => ({ ...keyOf(request), deliveryId: idParam(request, 'delivery') }),
    flash: () => 'webhooks.flash.again',
  })
  openForm(app, `${one}/end`, webhookEnding, {
    ...{ key: keyOf, formPage },
    done: ({ slug }) => webhooksPath(slug),
    flash: () => 'webhooks.flash.ended',
  })
}
