import type { Language, Theme } from '../database/schema.ts'
import type { Actor } from './rights.ts'
import type { Suspension } from './suspension.ts'

/** The person a request is made by. */
export interface Person extends Actor {
  readonly displayName: string
  readonly email: string | null
  /** null: as the browser asks. */
  readonly language: Language | null
  /** null: the course's. */
  readonly timeZone: string | null
  readonly theme: Theme
  /** Until when limits for newcomers hold: limits/newcomers.ts. null: they never did. */
  readonly newUntil: Date | null
  /** As operations read it: those in force. */
  readonly suspensions?: readonly Suspension[]
}
