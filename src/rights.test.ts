import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from './database/schema.ts'
import { type Actor, may, type PlaceAct, type PostAct } from './rights.ts'

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

const staff: Name[] = ['assistant', 'instructor', 'admin']
const members: Name[] = ['learner', 'answerer', 'asker', ...staff]
const signedIn: Name[] = ['stranger', 'instructor elsewhere', ...members]
const without = (names: Name[], name: Name) => names.filter((candidate) => candidate !== name)

/** Who may do what to an answer in a public course. In a private one: the same, members and admins only. */
const ALLOWED: Record<PlaceAct | PostAct, Name[]> = {
  read: ['visitor', ...signedIn],
  ask: signedIn,
  moderate: staff,
  answer: signedIn,
  reply: signedIn,
  vote: without(signedIn, 'answerer'),
  edit: ['answerer', ...staff],
  delete: ['answerer', ...staff],
  resolve: ['asker', ...staff],
  accept: ['asker', ...staff],
}

suite('rights', () => {
  for (const [act, allowed] of Object.entries(ALLOWED) as [PlaceAct | PostAct, Name[]][]) {
    test(`who may ${act}, in a public course and in a private one`, () => {
      for (const [name, person] of Object.entries(PEOPLE) as [Name, Actor | null][]) {
        for (const isPublic of [true, false]) {
          const answer = { courseId: COURSE, isPublic, authorId: ANSWERER, askerId: ASKER }
          const expected = allowed.includes(name) && (isPublic || members.includes(name))
          assert.equal(may(person, act, answer), expected, `${name}, ${isPublic ? 'public' : 'private'}`)
        }
      }
    })
  }

  test('staff and admins do not vote for what they wrote themselves', () => {
    for (const person of [PEOPLE.assistant, PEOPLE.instructor, PEOPLE.admin]) {
      const own = { courseId: COURSE, isPublic: true, authorId: person.id, askerId: ASKER }
      assert.equal(may(person, 'vote', own), false)
      assert.equal(may(person, 'edit', own), true)
    }
  })

  test('what is done to posts cannot be done to a course', () => {
    const course = { courseId: COURSE, isPublic: true }
    for (const act of ['answer', 'vote', 'edit', 'delete', 'accept'] as const) {
      assert.equal(may(PEOPLE.learner, act as PlaceAct, course), false)
    }
  })
})
