import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { EmbeddedError } from './error.ts'
import { isServing, readPostmasterFile, stopServer } from './postmaster.ts'
import { ensureServer, type Server, type Site } from './server.ts'
import { claimApp, findAppPid, joinServer, leaveServer, type Role } from './session.ts'

/** The user of a seat, and the superuser password to take it with. */
export interface Guest {
  role: Role
  password: string
}

/** A registered use of the server: while its session lives, no other process stops the server. */
export interface Seat {
  client: pg.Client
  server: Server
}

/**
 * Starts or joins the server, and takes a seat. Requires the start lock.
 * @throws EmbeddedError when an app runs on this folder already, or the server is unavailable
 */
export async function takeSeat(
  site: Site,
  guest: Guest,
  preferredPort: number | null,
  signal: AbortSignal,
): Promise<Seat> {
  let begunPid: number | null = null
  try {
    for (const until = Date.now() + 60_000; Date.now() < until; ) {
      const server = await ensureServer(site, preferredPort, signal)
      if (server.begun) begunPid = server.pid
      const client = await joinServer(server.port, guest.password, guest.role)
      if (client) {
        await claimOrLeave(site, guest, client)
        return { client, server }
      }
      await sleep(100, undefined, { signal })
    }
    throw new EmbeddedError(`PostgreSQL accepts no connections: see ${site.dataDir}/postgres.log`)
  } catch (error) {
    if (begunPid) await stopServer(begunPid)
    throw error
  }
}

/**
 * Releases the seat; the last one stops the server and waits until it is down. Without a live session (null, or lost
 * meanwhile) a new one checks for other users of the server.
 */
export async function leaveSeat(site: Site, guest: Guest, client: pg.Client | null): Promise<void> {
  const isLast = client && (await leaveServer(client).catch(() => null))
  if (isLast === null) await leaveWithoutSession(site, guest)
  if (isLast) await stopServing(site)
  await client?.end().catch(() => {})
}

async function claimOrLeave(site: Site, guest: Guest, client: pg.Client): Promise<void> {
  if (guest.role === 'command') return
  // An app that is exiting, or was just killed, needs a moment to disappear.
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await claimApp(client)) return
    await sleep(100)
  }
  const pid = await findAppPid(client)
  await leaveSeat(site, guest, client)
  const who = pid ? `process ${pid}` : 'another process'
  throw new EmbeddedError(
    `Handup already runs on ${site.dataDir} (${who}): stop it first, or set DATA_DIR to another folder`,
  )
}

async function leaveWithoutSession(site: Site, guest: Guest): Promise<void> {
  for (const until = Date.now() + 5000; Date.now() < until; await sleep(100)) {
    const file = await readPostmasterFile(site.cluster)
    if (!file || !(await isServing(file, site.cluster))) return
    const client = await joinServer(file.port, guest.password, guest.role)
    if (client) return leaveSeat(site, guest, client)
  }
  await stopServing(site) // nobody can connect, so nobody uses it
}

async function stopServing(site: Site): Promise<void> {
  const file = await readPostmasterFile(site.cluster)
  if (file && (await isServing(file, site.cluster))) await stopServer(file.pid)
}
