import type { Role } from '../../database/schema.ts'

/** What somebody is in a course; one who is in it and an admin is an admin. */
export type Standing = 'visitor' | 'outsider' | Role | 'admin'
/** 'public': in a course that everybody may read. 'open': in one of these where everybody may write. */
export type Cell = 'always' | 'public' | 'open' | 'never'

/**
 * What most acts are not done to. 'orphaned': an answer or a reply whose question is deleted. 'deleted': what
 * is deleted itself. 'hidden': a hidden or held post, and what is below it, for people who see them.
 * 'archived': anything in an archived course.
 */
type Still = 'orphaned' | 'deleted' | 'hidden' | 'archived'

export interface Rule {
  readonly about: string
  readonly who: Readonly<Record<Standing, Cell>>
  /**
   * What changes for who wrote the post: they may as well, or may not whoever they are. 'may-undo': they may as well, as
   * long as they can undo that they deleted it. null: nothing.
   */
  readonly author: 'may' | 'may-undo' | 'never' | null
  /** The same for who asked the question that the post belongs to. */
  readonly asker: 'may' | null
  /** What it can be done to all the same. */
  readonly on: readonly Still[]
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

const FORUM = {
  visit: rule('open lists, tags, search, and the pages to sign in and sign up', EVERYBODY),
  'have-account': rule('use settings and sessions, download own data, delete the account', SIGNED_IN),
  upload: rule('upload pictures for posts', SIGNED_IN),
  'see-mail': rule('read outgoing email, whose links open accounts', ADMINS),
  'look-after-forum': rule(
    'see the state of the forum, its audit log, all people and courses; create sign-in links',
    ADMINS,
  ),
  'redact-audit': rule('empty an entry of the audit log', ADMINS),
  'manage-people': rule('decide who is an admin, merge and delete accounts', ADMINS),
  'make-course': rule('create a course', ADMINS),
  'manage-apps': rule('register apps that people can let in, and end apps for everyone', ADMINS),
  'decide-settings': rule('change the settings of the forum', ADMINS),
  'change-forum-blocklist': rule('change the blocklists of the forum', ADMINS),
  'manage-forum-webhooks': rule('make, change and end webhooks of the forum', ADMINS),
  'moderate-forum': rule(
    'handle cases that are passed on, or about profiles, instructors and admins; suspend everywhere',
    ADMINS,
  ),
} as const satisfies Record<string, Rule>

const COURSE = {
  read: rule('read a course and its questions, and see who is in it', READERS, [
    'orphaned',
    'hidden',
    'archived',
  ]),
  'use-agents': rule(
    'let an agent of one’s own read a course, if the forum lets agents in, and the course those of its staff or of every reader',
    READERS,
    ['orphaned', 'hidden', 'archived'],
  ),
  'see-names': rule('see the names of anonymous authors', STAFF, ['hidden', 'archived']),
  ask: rule('ask a question', WRITERS),
  'follow-course': rule('follow a course or a lecture', SIGNED_IN_READERS, ['archived']),
  mention: rule('find people of a course to mention them', SIGNED_IN_READERS),
  'work-desk': rule('use the desk of a course and its saved answers', STAFF, ['archived']),
  'see-figures': rule('see the analytics of a course', STAFF, ['archived']),
  announce: rule('post announcements', STAFF),
  'propose-faq': rule('propose an FAQ entry', STAFF),
  'decide-faq': rule('publish, decline or edit an FAQ entry', INSTRUCTORS),
  'see-members': rule('see members with their addresses', STAFF, ['archived']),
  'change-members': rule('add, invite and remove people, change their roles', INSTRUCTORS, ['archived']),
  'see-audit': rule('see what staff did in the course, and download it', INSTRUCTORS, ['archived']),
  'delete-course': rule('delete a course, restore it for 30 days', ADMINS, ['archived']),
  manage: rule('change settings, lectures and categories; archive, reopen or copy the course', INSTRUCTORS, [
    'archived',
  ]),
  'export-course': rule('take a copy of the course out of the forum', INSTRUCTORS, ['archived']),
  'import-posts': rule('bring posts from elsewhere into the course, and take them back', INSTRUCTORS),
  'rename-tags': rule('rename, merge and describe the tags of a course', INSTRUCTORS, ['archived']),
  'change-blocklist': rule('change the blocklists of a course', INSTRUCTORS, ['archived']),
  'choose-holding': rule('choose which posts wait to be let through', INSTRUCTORS, ['archived']),
  'manage-webhooks': rule('make, change and end webhooks of a course', INSTRUCTORS, ['archived']),
  moderate: rule('handle cases of the course about people below oneself; suspend in it', STAFF, ['archived']),
  'see-reporters': rule('see who reported', INSTRUCTORS, ['archived']),
  leave: rule('leave the course; its last instructor can’t', SIGNED_IN_READERS, ['archived']),
} as const satisfies Record<string, Rule>

/** Acts on a question, an answer or a reply: none of them for those who may not read the course. */
const POST = {
  'read-private': rule(
    'read a private question and everything below it',
    STAFF,
    ['orphaned', 'deleted', 'hidden', 'archived'],
    { asker: 'may' },
  ),
  'read-hidden': rule(
    'read a post that is held back or hidden, and everything below it',
    STAFF,
    ['orphaned', 'deleted', 'hidden', 'archived'],
    { author: 'may' },
  ),
  open: rule('share a private question with the course', NOBODY, [], { asker: 'may' }),
  withdraw: rule('make a question private', STAFF, [], { asker: 'may' }),
  answer: rule('answer a question', WRITERS),
  reply: rule('reply to a question or an answer', WRITERS),
  follow: rule('follow a question', SIGNED_IN_READERS, ['archived']),
  vote: rule('vote for a question or an answer', SIGNED_IN_READERS, [], { author: 'never' }),
  edit: rule('edit a post', STAFF, ['orphaned', 'hidden'], { author: 'may' }),
  'see-history': rule('see the edit history of a post', STAFF, ['orphaned', 'hidden', 'archived'], {
    author: 'may',
  }),
  'decide-history': rule('restore an earlier version of a post, or remove its text', STAFF, [
    'orphaned',
    'hidden',
  ]),
  delete: rule('delete a post', STAFF, ['orphaned', 'hidden'], { author: 'may' }),
  report: rule(
    'report a post to staff, with or without an account; a deleted one for a day',
    READERS,
    ['orphaned', 'deleted', 'archived'],
    { author: 'never' },
  ),
  'open-case': rule(
    'open a case about a post that no one reported',
    STAFF,
    ['orphaned', 'deleted', 'hidden', 'archived'],
    { author: 'never' },
  ),
  restore: rule('restore a deleted post', STAFF, ['orphaned', 'deleted', 'hidden'], { author: 'may-undo' }),
  resolve: rule('resolve or reopen a question', STAFF, [], { asker: 'may' }),
  accept: rule('accept an answer', STAFF, [], { asker: 'may' }),
  endorse: rule('endorse an answer', STAFF),
  unlink: rule('unlink a duplicate', STAFF, [], { asker: 'may' }),
  release: rule('let a held post through, or reject it', STAFF, ['hidden']),
  close: rule('close a question to new answers, and open it again', STAFF),
  move: rule('move a question to another lecture, or to a course where they are staff too', STAFF),
  convert: rule('make an answer of a reply, or a reply of an answer', STAFF, ['hidden']),
  assign: rule('assign, snooze or answer a question on the desk; link a duplicate; pin', STAFF),
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

function rule(
  about: string,
  who: Rule['who'],
  on: readonly Still[] = [],
  { author = null, asker = null }: Partial<Pick<Rule, 'author' | 'asker'>> = {},
): Rule {
  return { about, who, author, asker, on }
}
