import type { Language, Role } from '../../database/schema.ts'

/** A course as its content files tell it: plain data, checked, people by their keys, times in hours before now. */
export interface SampleCourse {
  readonly slug: string
  readonly title: string
  readonly field: string
  readonly language: Language
  readonly timeZone: string
  readonly description: string
  /** By position. */
  readonly lectures: readonly SampleLecture[]
  readonly people: readonly SamplePerson[]
  /** Manages the forum; not a member of the course. */
  readonly admin: SampleAccount
  /** The oldest first. */
  readonly questions: readonly SampleQuestion[]
}

export interface SampleLecture {
  readonly position: number
  readonly title: string
}

export interface SampleAccount {
  readonly name: string
  readonly email: string
}

export interface SamplePerson extends SampleAccount {
  /** What posts and votes call this person. */
  readonly key: string
  readonly role: Role
}

/** What questions, answers and replies have in common. */
export interface SamplePost {
  /** The key of a person of the course. */
  readonly author: string
  /** Markdown. */
  readonly body: string
  /** Hours from writing to the moment of loading, so that the sample is never old. */
  readonly hoursAgo: number
}

export interface SampleQuestion extends SamplePost {
  /** Where it is written, relative to the sample's folder. */
  readonly file: string
  readonly title: string
  readonly tags: readonly string[]
  /** The position of a lecture of the course; null: about the course as a whole. */
  readonly lecture: number | null
  readonly views: number
  /** Keys of the people who voted for it, never the author's. */
  readonly votes: readonly string[]
  readonly isResolved: boolean
  /** The oldest first; at most one is accepted, and then the question is resolved. */
  readonly answers: readonly SampleAnswer[]
  /** Under the question itself: asking back for a detail. The oldest first. */
  readonly replies: readonly SamplePost[]
}

export interface SampleAnswer extends SamplePost {
  readonly votes: readonly string[]
  readonly isAccepted: boolean
  /** The oldest first. */
  readonly replies: readonly SamplePost[]
}

/** A sample that cannot be used: `message` is one line that names the file and what is wrong in it. */
export class SampleError extends Error {}
