import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { measureEndingKind } from '../../forum/cases/endings.ts'
import { caseLettersKind } from '../../forum/cases/letters.ts'
import { numberingKind } from '../../forum/events/numbering.ts'
import { mailRenewals, NEWS, newsKind, notifierOptions } from '../../forum/mailing/notifier.ts'
import { weekKind } from '../../forum/mailing/staff-week.ts'
import { releaseKind } from '../../forum/posts/hold.ts'
import { pushService, readPushKeys } from '../../forum/pushing/push-service.ts'
import { pushKind } from '../../forum/pushing/send-push.ts'
import { clarificationKind, heldKind, promiseKind } from '../../forum/telling/reminders.ts'
import { webhookAddressRule } from '../../forum/webhooks/address.ts'
import { planDeliveries } from '../../forum/webhooks/planning.ts'
import { webhookKind } from '../../forum/webhooks/sending.ts'
import { webhookStopKind } from '../../forum/webhooks/stops.ts'
import { returnAddressOf } from '../../mail/return-address.ts'
import { mailKind } from '../../mail/send-mail.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { copyingKind } from '../exchange/course-copies.ts'
import { startMetrics } from '../metrics/start-metrics.ts'
import { listenError } from '../problems.ts'
import { type Running, runningUntil } from '../running.ts'
import { startBackups } from './backups.ts'
import { startHousekeeping } from './housekeeping.ts'

/** How long a stop waits for requests in progress. */
const STOP_TIMEOUT_MS = 8000

/**
 * Serves the forum from this process, and runs its background tasks: several processes may share one database.
 * @param url the database's, for the connection that receives changes
 * @param signal aborts the start: nothing is served then
 * @param extend adds routes that aren't part of the forum
 * @throws StartError when it cannot listen
 */
export async function serve(
  config: Config,
  db: Database,
  url: string,
  keys: SecretKeys,
  signal: AbortSignal,
  extend?: (app: FastifyInstance) => void,
): Promise<Running> {
  const changes = new ChangeFeed(url)
  await changes.open()
  const app = await createApp(config, db, keys, changes)
  extend?.(app)
  const mailing = notifierOptions(config, keys[0])
  const { replyAddress } = config
  const mail = await mailKind(config, db, app.log, {
    renewals: mailRenewals(mailing),
    onRoom: () => app.jobs.wake(NEWS),
    returnAddress: replyAddress === null ? null : (id) => returnAddressOf(keys[0], replyAddress, id),
  })
  const { baseUrl, mailFrom, dataDir } = config
  const pushing = {
    ...{ baseUrl, mailFrom, soonSeconds: mailing.soonSeconds },
    ...{ keys: () => readPushKeys(dataDir), post: pushService() },
  }
  const kinds = [
    ...[
      newsKind(db, mailing),
      weekKind(db, mailing),
      promiseKind(db),
      clarificationKind(db),
      heldKind(db),
      releaseKind(db),
      numberingKind(db, planDeliveries(mailing.soonSeconds)),
    ],
    pushKind(db, pushing),
    webhookKind(db, { keys, baseUrl, newClient: () => new GuardedClient(webhookAddressRule(config)) }),
    copyingKind(db, { store: app.pictures, baseUrl }),
    ...[
      webhookStopKind(db, { baseUrl }),
      measureEndingKind(db),
      caseLettersKind(db, { baseUrl, timeZone: config.timeZone }),
    ],
  ]
  for (const kind of mail === null ? kinds : [mail, ...kinds]) app.jobs.start(kind)
  const doors: Running[] = []
  const chores: Running[] = []
  const stopAll = (some: readonly Running[]) => Promise.all(some.map((running) => running.stop()))
  const end = async () => {
    await stopAll(doors)
    // Connections that are still open then are closed, so that a stop always ends.
    const timeout = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS)
    await Promise.all([stopAll(chores), app.jobs.stop(), app.close()])
    clearTimeout(timeout)
    await changes.close()
  }
  try {
    await app.ready()
    signal.throwIfAborted()
    doors.push(await startMetrics(app))
    const { host, port } = config
    await app.listen({ host, port }).catch((error: unknown) => {
      throw listenError(error, host, port)
    })
    doors.push(await startInbound(config, db, keys, app.log))
    chores.push(startHousekeeping(db, app.log, keys, app.pictures), startBackups(config, db, url, app.log))
    app.jobs.begin()
  } catch (error) {
    await end()
    throw error
  }
  return runningUntil(async () => {
    app.beginClosing()
    // /readyz tells the load balancer to use other instances; until it does, requests are served.
    await sleep(config.drainSeconds * 1000)
    await end()
  })
}

/**
 * Finds out before the database is opened, which takes a while, that a port cannot be listened on.
 * @throws StartError with what to do
 */
export async function refuseTakenPorts({ host, port, inboundPort, metrics }: Config): Promise<void> {
  await refuseTaken(host, port)
  if (inboundPort !== null) await refuseTaken(host, inboundPort, 'INBOUND_')
  if (metrics !== null) await refuseTaken(metrics.host, metrics.port, 'METRICS_')
}

async function refuseTaken(host: string, port: number, prefix?: string): Promise<void> {
  const server = createServer()
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, host, port, prefix)
  }
  server.close()
  await once(server, 'close')
}

/**
 * Takes answers by mail at INBOUND_PORT; nothing without it.
 * @throws StartError when it cannot listen
 */
async function startInbound(
  config: Config,
  db: Database,
  keys: SecretKeys,
  log: FastifyBaseLogger,
): Promise<Running> {
  const { inboundPort, host, replyAddress, baseUrl, careful } = config
  if (inboundPort === null || replyAddress === null) return runningUntil(async () => {})
  // Loaded on demand: megabytes that a forum without it does not need.
  const { listenForMail } = await import('../../forum/answering-by-mail/listen.ts')
  try {
    return await listenForMail({ db, log, replyAddress, baseUrl, careful, keys, host, port: inboundPort })
  } catch (error) {
    throw listenError(error, host, inboundPort, 'INBOUND_')
  }
}
