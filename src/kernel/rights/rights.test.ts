import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Role } from '../../database/schema.ts'
import { allOperations } from '../../rooms.ts'
import { rightsPage } from './page.ts'
import {
  type Actor,
  type CourseAct,
  isNamedAsStaff,
  may,
  mayMeet,
  type PostAct,
  reachOf,
  rulingOn,
  seesNames,
  type Written,
  withRightsOf,
} from './rights.ts'
import { RIGHTS } from './table.ts'

const COURSE = 7
const ASKER = 1
const ANSWERER = 2

const actor = (id: number, role?: Role, course = COURSE, isAdmin = false): Actor => ({
  id,
  isAdmin,
  roles: role === undefined ? {} : { [course]: role },
})

/** Everybody who may look at an answer in the course: the asker and the answerer are learners of it. */
const PEOPLE = {
  visitor: null,
  stranger: actor(3),
  'instructor elsewhere': actor(4, 'instructor', 8),
  learner: actor(5, 'learner'),
  answerer: actor(ANSWERER, 'learner'),
  asker: actor(ASKER, 'learner'),
  assistant: actor(6, 'assistant'),
  instructor: actor(7, 'instructor'),
  admin: actor(8, undefined, COURSE, true),
} as const

type Name = keyof typeof PEOPLE
const EVERYBODY = Object.entries(PEOPLE) as [Name, Actor | null][]

const staff: Name[] = ['assistant', 'instructor', 'admin']
const members: Name[] = ['learner', 'answerer', 'asker', ...staff]
const signedIn: Name[] = ['stranger', 'instructor elsewhere', ...members]
const without = (names: Name[], name: Name) => names.filter((candidate) => candidate !== name)

/** Who may do what to an answer in a public course, by the contract. In a private one: the same, members and admins only. */
const ALLOWED: Record<CourseAct | PostAct, Name[]> = {
  read: ['visitor', ...signedIn],
  'use-agents': ['visitor', ...signedIn],
  'read-private': ['asker', ...staff],
  'read-hidden': ['answerer', ...staff],
  'see-names': staff,
  open: ['asker'],
  withdraw: ['asker', ...staff],
  ask: signedIn,
  'follow-course': signedIn,
  mention: signedIn,
  'see-figures': staff,
  announce: staff,
  'propose-faq': staff,
  'decide-faq': ['instructor', 'admin'],
  'see-members': staff,
  'change-members': ['instructor', 'admin'],
  'delete-course': ['admin'],
  'see-audit': ['instructor', 'admin'],
  manage: ['instructor', 'admin'],
  'export-course': ['instructor', 'admin'],
  'import-posts': ['instructor', 'admin'],
  'rename-tags': ['instructor', 'admin'],
  'change-blocklist': ['instructor', 'admin'],
  'choose-holding': ['instructor', 'admin'],
  leave: signedIn,
  answer: signedIn,
  reply: signedIn,
  follow: signedIn,
  vote: without(signedIn, 'answerer'),
  edit: ['answerer', ...staff],
  'see-history': ['answerer', ...staff],
  'decide-history': staff,
  delete: ['answerer', ...staff],
  restore: ['answerer', ...staff],
  resolve: ['asker', ...staff],
  endorse: staff,
  assign: staff,
  close: staff,
  move: staff,
  release: staff,
  convert: staff,
  unlink: ['asker', ...staff],
  'work-desk': staff,
  'manage-webhooks': ['instructor', 'admin'],
  moderate: staff,
  'see-reporters': ['instructor', 'admin'],
  report: without(['visitor', ...signedIn], 'answerer'),
  'open-case': without(staff, 'answerer'),
  accept: ['asker', ...staff],
}

const answer = (isPublic: boolean, state: Partial<Written> = {}): Written => ({
  courseId: COURSE,
  isPublic,
  isOpen: true,
  isArchived: false,
  authorId: ANSWERER,
  askerId: ASKER,
  audience: 'course',
  isDeleted: false,
  isUndoable: false,
  isOrphan: false,
  isBuried: false,
  isPurged: false,
  hiddenAuthors: [],
  ...state,
})

suite('rights', () => {
  for (const [act, allowed] of Object.entries(ALLOWED) as [CourseAct | PostAct, Name[]][]) {
    test(`who may ${act}, in a public course and in a private one`, () => {
      for (const [name, person] of EVERYBODY) {
        for (const isPublic of [true, false]) {
          const expected = allowed.includes(name) && (isPublic || members.includes(name))
          assert.equal(
            may(person, act, answer(isPublic)),
            expected,
            `${name}, ${isPublic ? 'public' : 'private'}`,
          )
        }
      }
    })
  }

  test('a private question and what is under it is there for its asker and the staff alone, whatever others wrote in it', () => {
    const kept = answer(true, { audience: 'staff' })
    for (const [name, person] of EVERYBODY) {
      const isReader = name === 'asker' || staff.includes(name)
      for (const act of Object.keys(ALLOWED).filter(
        (one) => !['read-private', 'read-hidden', 'see-names'].includes(one),
      ) as (CourseAct | PostAct)[]) {
        if (isReader)
          assert.equal(rulingOn(person, act, kept), rulingOn(person, act, answer(true)), `${name}, ${act}`)
        else
          assert.match(
            rulingOn(person, act, kept),
            person === null ? /hidden|sign-in/ : /hidden/,
            `${name}, ${act}`,
          )
      }
    }
    assert.equal(
      rulingOn(actor(ASKER), 'read', answer(false, { audience: 'staff' })),
      'hidden',
      'no member any more',
    )
    assert.equal(may({ ...PEOPLE.assistant, owesSecondFactor: true }, 'read', kept), true)
  })

  test('what is hidden is there for who wrote it and the staff, who do nothing with it that others would notice', () => {
    const hidden = answer(true, { hiddenAuthors: [ANSWERER] })
    for (const [name, person] of EVERYBODY) {
      const isReader = name === 'answerer' || staff.includes(name)
      assert.equal(rulingOn(person, 'read', hidden), isReader ? 'allowed' : 'hidden', name)
      if (!isReader) continue
      for (const act of ['edit', 'delete', 'see-history'] as const) assert.ok(may(person, act, hidden), act)
      for (const act of ['vote', 'reply', 'accept', 'endorse', 'follow'] as const)
        assert.equal(rulingOn(person, act, hidden), 'forbidden', act)
    }
    assert.equal(may({ ...PEOPLE.assistant, owesSecondFactor: true }, 'read', hidden), true)
    const below = answer(true, { hiddenAuthors: [ASKER] })
    assert.equal(rulingOn(PEOPLE.answerer, 'read', below), 'hidden', 'below what somebody else wrote')
    assert.equal(rulingOn(PEOPLE.asker, 'read', below), 'allowed')
    const both = answer(true, { hiddenAuthors: [ASKER, ANSWERER] })
    for (const name of ['asker', 'answerer'] as const)
      assert.equal(rulingOn(PEOPLE[name], 'read', both), 'hidden', name)
    assert.equal(rulingOn(PEOPLE.admin, 'read', both), 'allowed')
    assert.equal(rulingOn(actor(ANSWERER), 'read', answer(false, { hiddenAuthors: [ANSWERER] })), 'hidden')
  })

  test('visitors sign in first, strangers find nothing, and readers are told why not', () => {
    assert.equal(rulingOn(PEOPLE.visitor, 'edit', answer(false)), 'sign-in')
    assert.equal(rulingOn(PEOPLE.visitor, 'read', answer(false)), 'hidden')
    assert.equal(rulingOn(PEOPLE.stranger, 'edit', answer(false)), 'hidden')
    assert.equal(rulingOn(PEOPLE['instructor elsewhere'], 'edit', answer(true)), 'forbidden')
    assert.equal(rulingOn(PEOPLE.stranger, 'edit', answer(false, { isDeleted: true })), 'hidden')
    assert.equal(rulingOn(PEOPLE.learner, 'edit', answer(false, { isDeleted: true })), 'gone')
  })

  test('an answer outlives its question for those who may read, edit or delete it', () => {
    const left = answer(true, { isOrphan: true })
    for (const act of ['read', 'edit', 'delete'] as const) assert.ok(may(PEOPLE.answerer, act, left), act)
    for (const act of ['accept', 'resolve', 'vote', 'reply', 'follow'] as const)
      assert.equal(rulingOn(PEOPLE.instructor, act, left), 'gone', act)
  })

  test('what is deleted is restored by staff always, by its author only what they deleted themselves just now', () => {
    const removed = answer(true, { isDeleted: true })
    const withdrawn = answer(true, { isDeleted: true, isUndoable: true })
    for (const [name, person] of EVERYBODY) {
      assert.equal(may(person, 'restore', removed), staff.includes(name), name)
      assert.equal(may(person, 'restore', withdrawn), name === 'answerer' || staff.includes(name), name)
    }
    assert.equal(rulingOn(PEOPLE.answerer, 'restore', removed), 'forbidden')
    assert.equal(may(PEOPLE.answerer, 'restore', { ...withdrawn, isOrphan: true }), true)
    assert.equal(rulingOn(PEOPLE.admin, 'restore', answer(true, { isBuried: true })), 'gone')
    assert.equal(rulingOn(PEOPLE.stranger, 'restore', answer(false, { isDeleted: true })), 'hidden')
  })

  test('in an archived course everybody reads and follows as before, and nobody writes', () => {
    const archived = answer(true, { isArchived: true })
    for (const [name, person] of EVERYBODY) {
      assert.equal(may(person, 'read', archived), true, name)
      assert.equal(may(person, 'follow', archived), person !== null, name)
      for (const act of ['ask', 'answer', 'reply', 'vote', 'edit', 'delete', 'restore'] as const)
        assert.equal(may(person, act, archived), false, `${name}, ${act}`)
    }
    assert.equal(rulingOn(PEOPLE.instructor, 'edit', archived), 'archived')
    assert.equal(rulingOn(PEOPLE.learner, 'edit', archived), 'forbidden')
    assert.equal(rulingOn(PEOPLE.visitor, 'answer', archived), 'sign-in')
  })

  test('where members alone write, strangers read a public course', () => {
    const closed = answer(true, { isOpen: false })
    for (const act of ['ask', 'answer', 'reply'] as const) {
      assert.equal(rulingOn(PEOPLE.stranger, act, closed), 'forbidden', act)
      assert.equal(may(PEOPLE.admin, act, closed), true, act)
      assert.equal(may(PEOPLE.learner, act, closed), true, act)
    }
    assert.equal(may(PEOPLE.stranger, 'vote', closed), true)
    assert.equal(may(null, 'read', closed), true)
  })

  test('staff who owe a second factor read as ever, and else do what learners do', () => {
    for (const person of [PEOPLE.assistant, PEOPLE.instructor, PEOPLE.admin]) {
      const owing = { ...person, owesSecondFactor: true }
      for (const act of ['edit', 'delete', 'resolve', 'accept'] as const)
        assert.equal(rulingOn(owing, act, answer(true)), 'forbidden')
      assert.equal(may(owing, 'read', answer(false)), true)
      assert.equal(may(owing, 'vote', answer(true)), true)
      assert.equal(may(owing, 'edit', { ...answer(true), authorId: person.id }), true)
      for (const act of ['see-mail', 'decide-settings'] as const) assert.equal(may(owing, act), false)
      assert.deepEqual(reachOf(owing, 'read'), reachOf(person, 'read'))
    }
  })

  test('staff and admins do not vote for what they wrote themselves', () => {
    for (const person of [PEOPLE.assistant, PEOPLE.instructor, PEOPLE.admin]) {
      const own = { ...answer(true), authorId: person.id }
      assert.equal(may(person, 'vote', own), false)
      assert.equal(may(person, 'edit', own), true)
    }
  })

  test('who wrote something in a private course and is not in it any more has no rights there', () => {
    for (const act of ['read', 'edit', 'delete'] as const)
      assert.equal(may(actor(ANSWERER), act, answer(false)), false, act)
  })

  test('an account is for people who are signed in, the outbox for admins', () => {
    for (const [name, person] of EVERYBODY) {
      assert.equal(may(person, 'visit'), true, name)
      assert.equal(may(person, 'have-account'), person !== null, name)
      assert.equal(may(person, 'see-mail'), name === 'admin', name)
    }
  })

  test('where somebody may read is told to queries as it is to pages', () => {
    assert.deepEqual(reachOf(null, 'read'), { isAll: false, isPublic: true, courseIds: [] })
    assert.deepEqual(reachOf(null, 'ask'), { isAll: false, isPublic: false, courseIds: [] })
    assert.deepEqual(reachOf(PEOPLE.learner, 'ask'), { isAll: false, isPublic: true, courseIds: [COURSE] })
    assert.equal(reachOf(PEOPLE.admin, 'read').isAll, true)
  })

  test('a role allows all that a lesser one does, so that who is left a lesser one by a token may do no more', () => {
    const cells = ['never', 'open', 'public', 'always'] as const
    const standings = ['visitor', 'outsider', 'learner', 'assistant', 'instructor', 'admin'] as const
    for (const [act, { who }] of Object.entries(RIGHTS)) {
      const granted = standings.map((standing) => cells.indexOf(who[standing]))
      assert.deepEqual(
        granted,
        granted.toSorted((one, other) => one - other),
        act,
      )
    }
  })

  test('staff are named as staff also by a token that leaves them less, in their courses', () => {
    const { assistant, admin } = PEOPLE
    const narrowed = { ...actor(6, 'learner'), onlyCourseIds: [COURSE], account: assistant }
    assert.deepEqual([isNamedAsStaff(narrowed, COURSE), isNamedAsStaff(narrowed, 8)], [true, false])
    assert.equal(seesNames(narrowed, COURSE), false)
    assert.equal(isNamedAsStaff({ ...actor(8, 'learner'), account: admin }, COURSE), true)
    assert.equal(isNamedAsStaff(PEOPLE.learner, COURSE), false)
  })

  test('authors are authors where a token makes them visitors: what they may not do to their posts, they may not there', () => {
    for (const onlyCourseIds of [[COURSE], [8, COURSE], [8]]) {
      const away = { ...actor(ANSWERER, 'learner'), onlyCourseIds }
      for (const act of ['report', 'vote'] as const)
        assert.equal(rulingOn(away, act, answer(true)), 'forbidden', act)
      assert.equal(rulingOn({ ...away, id: 3 }, 'report', answer(true)), 'allowed')
    }
  })

  test('an app is told no names, whatever its person is', () => {
    for (const person of [PEOPLE.assistant, PEOPLE.instructor, PEOPLE.admin]) {
      assert.equal(seesNames(person, COURSE), true)
      const app = { ...person, seesNoNames: true as const }
      assert.equal(seesNames(app, COURSE), false)
      assert.equal(seesNames(withRightsOf(app, 9), COURSE), false)
      assert.equal(may(app, 'work-desk', answer(true)), true)
    }
  })

  test('a person is known to those who meet them, to themselves and to admins', () => {
    const unmet = { id: ANSWERER, isMet: false }
    for (const [name, person] of EVERYBODY) {
      assert.equal(mayMeet(person, unmet), name === 'answerer' || name === 'admin', name)
      assert.equal(mayMeet(person, { ...unmet, isMet: true }), true, name)
    }
  })

  test('docs/rights.md is what `npm run --silent handup -- rights > docs/rights.md` writes', async () => {
    const path = join(import.meta.dirname, '../../../docs/rights.md')
    assert.equal(await readFile(path, 'utf8'), rightsPage(allOperations()))
  })
})
