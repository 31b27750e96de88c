import type { Role } from '../../database/schema.ts'

/** What somebody is in a course; one who is in it and an admin is an admin. */
export type Standing = 'visitor' | 'outsider' | Role | 'admin'
/** 'public': in a course that everybody may read. 'open': in one of these where everybody may write. */
export type Cell = 'always' | 'public' | 'open' | 'never'

/** A row of the table. */
export interface Rule {
  /** What is done, for docs/rights.md. */
  readonly about: string
  readonly who: Readonly<Record<Standing, Cell>>
  /**
   * What changes for who wrote the post: they may as well, or may not whoever they are. 'may-undo': they may as well, as
   * long as they can undo that they deleted it. null: nothing.
   */
  readonly author: 'may' | 'may-undo' | 'never' | null
  /** The same for who asked the question that the post belongs to. */
  readonly asker: 'may' | null
  /** An answer or a reply whose question is deleted can still be used so. */
  readonly isLeftByQuestion: boolean
  /** What is deleted itself can still be used so. */
  readonly isOfDeleted: boolean
  /** The act is possible on hidden or held posts, and below them, for people who see them. */
  readonly isOfHidden: boolean
  /** In an archived course it can still be done. */
  readonly isOfArchived: boolean
}

const EVERYBODY = everybody('always')
const SIGNED_IN = { ...EVERYBODY, visitor: 'never' } as const
const ADMINS = { ...everybody('never'), admin: 'always' } as const
const NOBODY = everybody('never')
const READERS = { ...EVERYBODY, visitor: 'public', outsider: 'public' } as const
const SIGNED_IN_READERS = { ...READERS, visitor: 'never' } as const
const WRITERS = { ...SIGNED_IN_READERS, outsider: 'open' } as const
const STAFF = { ...ADMINS, assistant: 'always', instructor: 'always' } as const
const INSTRUCTORS = { ...ADMINS, instructor: 'always' } as const
const ALIKE = {
  author: null,
  asker: null,
  isLeftByQuestion: false,
  isOfDeleted: false,
  isOfHidden: false,
  isOfArchived: false,
} as const

/** Acts on the forum as a whole. */
const FORUM = {
  visit: {
    about: 'open lists, tags, search, and the pages to sign in and sign up',
    who: EVERYBODY,
    ...ALIKE,
  },
  'have-account': {
    about: 'use settings and sessions, download own data, delete the account',
    who: SIGNED_IN,
    ...ALIKE,
  },
  upload: { about: 'upload pictures for posts', who: SIGNED_IN, ...ALIKE },
  'see-mail': {
    about: 'read outgoing email, whose links open accounts',
    who: ADMINS,
    ...ALIKE,
  },
  'look-after-forum': {
    about: 'see the state of the forum, its audit log, all people and courses; create sign-in links',
    who: ADMINS,
    ...ALIKE,
  },
  'redact-audit': { about: 'empty an entry of the audit log', who: ADMINS, ...ALIKE },
  'manage-people': { about: 'decide who is an admin, merge and delete accounts', who: ADMINS, ...ALIKE },
  'make-course': { about: 'create a course', who: ADMINS, ...ALIKE },
  'decide-settings': { about: 'change the settings of the forum', who: ADMINS, ...ALIKE },
  'moderate-forum': {
    about: 'handle cases that are passed on, or about profiles, instructors and admins; suspend everywhere',
    who: ADMINS,
    ...ALIKE,
  },
} as const satisfies Record<string, Rule>

/** Acts on a course. */
const COURSE = {
  read: {
    about: 'read a course and its questions, and see who is in it',
    who: READERS,
    ...ALIKE,
    isLeftByQuestion: true,
    isOfHidden: true,
    isOfArchived: true,
  },
  'see-names': {
    about: 'see the names of anonymous authors',
    who: STAFF,
    ...ALIKE,
    isOfHidden: true,
    isOfArchived: true,
  },
  ask: { about: 'ask a question', who: WRITERS, ...ALIKE },
  'follow-course': {
    about: 'follow a course or a lecture',
    who: SIGNED_IN_READERS,
    ...ALIKE,
    isOfArchived: true,
  },
  mention: {
    about: 'find people of a course to mention them',
    who: SIGNED_IN_READERS,
    ...ALIKE,
  },
  'work-desk': {
    about: 'use the desk of a course and its saved answers',
    who: STAFF,
    ...ALIKE,
    isOfArchived: true,
  },
  'see-figures': { about: 'see the analytics of a course', who: STAFF, ...ALIKE, isOfArchived: true },
  announce: { about: 'post announcements', who: STAFF, ...ALIKE },
  'propose-faq': { about: 'propose an FAQ entry', who: STAFF, ...ALIKE },
  'decide-faq': { about: 'publish, decline or edit an FAQ entry', who: INSTRUCTORS, ...ALIKE },
  'see-members': {
    about: 'see members with their addresses',
    who: STAFF,
    ...ALIKE,
    isOfArchived: true,
  },
  'change-members': {
    about: 'add, invite and remove people, change their roles',
    who: INSTRUCTORS,
    ...ALIKE,
    isOfArchived: true,
  },
  'see-audit': {
    about: 'see what staff did in the course, and download it',
    who: INSTRUCTORS,
    ...ALIKE,
    isOfArchived: true,
  },
  'delete-course': {
    about: 'delete a course, restore it for 30 days',
    who: ADMINS,
    ...ALIKE,
    isOfArchived: true,
  },
  manage: {
    about: 'change settings, lectures and categories; archive, reopen or copy the course',
    who: INSTRUCTORS,
    ...ALIKE,
    isOfArchived: true,
  },
  moderate: {
    about: 'handle cases of the course about people below oneself; suspend in it',
    who: STAFF,
    ...ALIKE,
    isOfArchived: true,
  },
  'see-reporters': {
    about: 'see who reported',
    who: INSTRUCTORS,
    ...ALIKE,
    isOfArchived: true,
  },
  leave: {
    about: 'leave the course; its last instructor can’t',
    who: SIGNED_IN_READERS,
    ...ALIKE,
    isOfArchived: true,
  },
} as const satisfies Record<string, Rule>

/** Acts on a question, an answer or a reply: none of them for those who may not read the course. */
const POST = {
  'read-private': {
    about: 'read a private question and everything below it',
    who: STAFF,
    ...ALIKE,
    asker: 'may',
    isLeftByQuestion: true,
    isOfDeleted: true,
    isOfHidden: true,
    isOfArchived: true,
  },
  'read-hidden': {
    about: 'read a post that is held back or hidden, and everything below it',
    who: STAFF,
    ...ALIKE,
    author: 'may',
    isLeftByQuestion: true,
    isOfDeleted: true,
    isOfHidden: true,
    isOfArchived: true,
  },
  open: { about: 'share a private question with the course', who: NOBODY, ...ALIKE, asker: 'may' },
  withdraw: { about: 'make a question private', who: STAFF, ...ALIKE, asker: 'may' },
  answer: { about: 'answer a question', who: WRITERS, ...ALIKE },
  reply: { about: 'reply to a question or an answer', who: WRITERS, ...ALIKE },
  follow: { about: 'follow a question', who: SIGNED_IN_READERS, ...ALIKE, isOfArchived: true },
  vote: { about: 'vote for a question or an answer', who: SIGNED_IN_READERS, ...ALIKE, author: 'never' },
  edit: {
    about: 'edit a post',
    who: STAFF,
    ...ALIKE,
    author: 'may',
    isLeftByQuestion: true,
    isOfHidden: true,
  },
  'see-history': {
    about: 'see the edit history of a post',
    who: STAFF,
    ...ALIKE,
    author: 'may',
    isLeftByQuestion: true,
    isOfHidden: true,
    isOfArchived: true,
  },
  'decide-history': {
    about: 'restore an earlier version of a post, or remove its text',
    who: STAFF,
    ...ALIKE,
    isLeftByQuestion: true,
    isOfHidden: true,
  },
  delete: {
    about: 'delete a post',
    who: STAFF,
    ...ALIKE,
    author: 'may',
    isLeftByQuestion: true,
    isOfHidden: true,
  },
  report: {
    about: 'report a post to staff, with or without an account; a deleted one for a day',
    who: READERS,
    ...ALIKE,
    author: 'never',
    isLeftByQuestion: true,
    isOfDeleted: true,
    isOfArchived: true,
  },
  'open-case': {
    about: 'open a case about a post that no one reported',
    who: STAFF,
    ...ALIKE,
    author: 'never',
    isLeftByQuestion: true,
    isOfDeleted: true,
    isOfHidden: true,
    isOfArchived: true,
  },
  restore: {
    about: 'restore a deleted post',
    who: STAFF,
    ...ALIKE,
    author: 'may-undo',
    isLeftByQuestion: true,
    isOfDeleted: true,
    isOfHidden: true,
  },
  resolve: { about: 'resolve or reopen a question', who: STAFF, ...ALIKE, asker: 'may' },
  accept: { about: 'accept an answer', who: STAFF, ...ALIKE, asker: 'may' },
  endorse: { about: 'endorse an answer', who: STAFF, ...ALIKE },
  unlink: { about: 'unlink a duplicate', who: STAFF, ...ALIKE, asker: 'may' },
  assign: {
    about: 'assign, snooze or answer a question on the desk; link a duplicate; pin',
    who: STAFF,
    ...ALIKE,
  },
} as const satisfies Record<string, Rule>

export type ForumAct = keyof typeof FORUM
export type CourseAct = keyof typeof COURSE
export type PostAct = keyof typeof POST
export type Act = ForumAct | CourseAct | PostAct

/** Who may do what: the table that rights.ts reads and docs/rights.md shows. */
export const RIGHTS: Readonly<Record<Act, Rule>> = { ...FORUM, ...COURSE, ...POST }

export const FORUM_ACTS = Object.keys(FORUM) as readonly ForumAct[]
export const COURSE_ACTS = Object.keys(COURSE) as readonly CourseAct[]
export const POST_ACTS = Object.keys(POST) as readonly PostAct[]

function everybody<Value extends Cell>(cell: Value) {
  return { visitor: cell, outsider: cell, learner: cell, assistant: cell, instructor: cell, admin: cell }
}
