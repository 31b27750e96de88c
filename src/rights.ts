import type { Role } from './database/schema.ts'

/** What decides a person's rights: who they are and which role they have in which course. */
export interface Actor {
  readonly id: number
  readonly isAdmin: boolean
  /** Role by course id; no entry: not a member. */
  readonly roles: Readonly<Record<number, Role>>
}

/** A course, as far as rights go. */
export interface Place {
  readonly courseId: number
  readonly isPublic: boolean
}

/** A question, answer or reply, as far as rights go. `askerId` is who asked the question it belongs to. */
export interface Written extends Place {
  readonly authorId: number
  readonly askerId: number
}

export type PlaceAct = 'read' | 'ask' | 'moderate'
export type PostAct = 'answer' | 'reply' | 'vote' | 'edit' | 'delete' | 'resolve' | 'accept'

/** The one place that decides who may do what (contract.md, "Who may do what"). `null` is a visitor. */
export function may(actor: Actor | null, act: PlaceAct, place: Place): boolean
export function may(actor: Actor | null, act: PlaceAct | PostAct, post: Written): boolean
export function may(actor: Actor | null, act: PlaceAct | PostAct, subject: Place | Written): boolean {
  if (!mayRead(actor, subject)) return false
  if (act === 'read') return true
  if (actor === null) return false
  if (act === 'moderate') return isStaff(actor, subject)
  if (act === 'ask') return true
  return 'authorId' in subject && mayWithPost(actor, act, subject)
}

/** Instructors and assistants of the course, and admins. */
export function isStaff(actor: Actor | null, place: Place): boolean {
  if (actor === null) return false
  const role = actor.roles[place.courseId]
  return actor.isAdmin || role === 'instructor' || role === 'assistant'
}

/** The forum's outgoing mail, with links that open accounts: admins alone. */
export function maySeeMail(actor: Actor): boolean {
  return actor.isAdmin
}

function mayRead(actor: Actor | null, place: Place): boolean {
  return place.isPublic || (actor !== null && (actor.isAdmin || actor.roles[place.courseId] !== undefined))
}

function mayWithPost(actor: Actor, act: PostAct, post: Written): boolean {
  switch (act) {
    case 'answer':
    case 'reply':
      return true
    case 'vote':
      return actor.id !== post.authorId
    case 'edit':
    case 'delete':
      return actor.id === post.authorId || isStaff(actor, post)
    case 'resolve':
    case 'accept':
      return actor.id === post.askerId || isStaff(actor, post)
  }
}
