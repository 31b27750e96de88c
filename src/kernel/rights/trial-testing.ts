import type { LightMyRequestResponse } from 'fastify'
import { type Browser, stayingSignedIn } from '../../testing/browser.ts'
import { type Actor, may, mayMeet, type Ruling, rulingOn } from './rights.ts'
import type { Claim, CourseClaim } from './routes-testing.ts'
import type { Insides, World } from './world-testing.ts'

/** A request that somebody makes, and what the table says of it. */
export interface Trial {
  /** For messages: what it is done to. */
  readonly name: string
  readonly path: string
  /** The same done to what is not there; null: it is done to nothing. */
  readonly nowhere: string | null
  readonly fields: Readonly<Record<string, string>>
  readonly fieldsNowhere: Readonly<Record<string, string>>
  readonly ruling: Ruling
  /** It is allowed, and refused with the reason. */
  readonly isRefused?: boolean
  /** The status of what is not there. */
  readonly unknown: number
}

const NOWHERE = '999999999'

/** Everything that a route does to something, as one person. */
export function trialsOf(path: string, claim: Claim, actor: Actor | null, world: World): Trial[] {
  if (!('of' in claim)) return [forumTrial(path, rulingOn(actor, claim.act))]
  if (claim.of === 'course') {
    const who = claim.isPublic === true ? null : actor
    return world.courses.map(({ name, slug, facts, insides }) => ({
      name,
      path: placeIn(claim, path, insides).replace(':course', slug),
      nowhere: nowhereOf(claim, path, insides),
      fields: filled(claim.fields, slug),
      fieldsNowhere: filled(claim.fields, NOWHERE),
      ruling: hiddenIf(claim.isHidden === true, rulingOn(who, claim.act, facts)),
      unknown: claim.unknown ?? 404,
      isRefused: claim.isRefused === true,
    }))
  }
  const onOne = (id: number, name: string, ruling: Ruling, fields = {}): Trial => {
    const [here, nowhere] = [path.replace(':id', String(id)), path.replace(':id', NOWHERE)]
    return { name, path: here, nowhere, fields, fieldsNowhere: fields, ruling, unknown: 404 }
  }
  if (claim.of === 'person') {
    return world.people.map(({ name, id, facts }) => {
      const isMet = may(actor, 'read', facts)
      return onOne(id, name, mayMeet(actor, { id, isMet }) ? 'allowed' : 'hidden', claim.fields)
    })
  }
  const who = claim.isPublic === true ? null : actor
  return world.postsFor(actor)[claim.of].map(({ name, id, facts }) => ({
    ...onOne(id, name, rulingOn(who, claim.act, facts), claim.fields),
    isRefused: claim.isRefusedHidden === true && facts.hiddenAuthors.length > 0,
  }))
}

const hiddenIf = (isHidden: boolean, ruling: Ruling): Ruling =>
  isHidden && ruling === 'forbidden' ? 'hidden' : ruling

/** The same of what is not there: another course, or where the path names none, another thing. */
function nowhereOf(claim: CourseClaim, route: string, insides: Insides): string {
  const path = claim.path ?? route
  if (path.includes(':course')) return placeIn(claim, route, insides).replace(':course', NOWHERE)
  return claim.inside === undefined ? path : path.replace(/:\w+/, NOWHERE)
}

/** The path to a course, or to something of it. */
function placeIn({ path, inside }: CourseClaim, route: string, insides: Insides): string {
  const place = path ?? route
  return inside === undefined ? place : place.replace(/:(?!course)\w+/g, String(insides[inside]))
}

/** Makes the request; signing out, or in, is forgotten again. @param token of a form of theirs */
export async function send(
  browser: Browser,
  method: string,
  path: string,
  fields: Trial['fields'],
  token: string,
): Promise<LightMyRequestResponse> {
  return stayingSignedIn([browser], () =>
    method === 'POST' ? browser.post(path, fields, { token }) : browser.get(path),
  )
}

/** The ruling that an answer shows. Any other status is one that no ruling leads to. */
export function rulingOf({ statusCode, headers }: LightMyRequestResponse): Ruling | `status ${number}` {
  if (statusCode === 303 && /^\/sign-in\?next=/.test(String(headers.location))) return 'sign-in'
  if (statusCode < 400) return 'allowed'
  const known: Readonly<Record<number, Ruling>> = { 403: 'forbidden', 404: 'hidden', 410: 'gone' }
  return known[statusCode] ?? `status ${statusCode}`
}

function forumTrial(path: string, ruling: Ruling): Trial {
  const here = path.replaceAll(/:\w+/g, '1')
  return { name: 'the forum', path: here, nowhere: null, fields: {}, fieldsNowhere: {}, ruling, unknown: 404 }
}

function filled(fields: Trial['fields'] = {}, slug: string): Trial['fields'] {
  const entries = Object.entries(fields).map(([name, value]) => [name, value.replace(':course', slug)])
  return Object.fromEntries(entries)
}
