import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readMemberLines } from './member-lines.ts'

const READ: readonly (readonly [what: string, list: string, people: readonly string[]])[] = [
  [
    'addresses with and without a role',
    'a@b.example,assistant\nc@d.example',
    ['a@b.example assistant', 'c@d.example -'],
  ],
  [
    'what a mail program copies',
    'Mina Park <mina@x.example>, "Park, Jun" <Jun@x.example>; Lee, Ann <ann@x.example>, bare@x.example',
    ['mina@x.example -', 'jun@x.example -', 'ann@x.example -', 'bare@x.example -'],
  ],
  ['a name, an address and a role', 'Mina Park <mina@x.example>, TA', ['mina@x.example assistant']],
  ['several bare addresses on a line', 'a@x.example; b@x.example', ['a@x.example -', 'b@x.example -']],
  ['columns in any order', 'Name,Role,Email\n"Park, Mina",Teacher,m@x.example', ['m@x.example instructor']],
  [
    'Canvas',
    'course_id\tuser_id\trole\temail\nC1\t7\tStudentEnrollment\tm@x.example\nC1\t8\tTaEnrollment\tj@x.example',
    ['m@x.example learner', 'j@x.example assistant'],
  ],
  [
    'Moodle',
    '\uFEFF"First name","Last name","Email address",Roles,Groups\nMina,Park,m@x.example,"Non-editing teacher",A',
    ['m@x.example assistant'],
  ],
  ['Classroom', 'Last Name,First Name,Email Address,Quiz 1\nPark,Mina,m@x.example,9', ['m@x.example -']],
  ['Korean columns', '이름;이메일;역할\n미나;m@x.example;조교', ['m@x.example assistant']],
]

suite('a list of members', () => {
  for (const [what, list, people] of READ)
    test(`may be ${what}`, () => {
      const { good, bad } = readMemberLines(list)
      assert.deepEqual(bad, [])
      assert.deepEqual(
        good.map(({ email, role }) => `${email} ${role ?? '-'}`),
        people,
      )
    })

  test('refuses an internationalised address by that name, and says what else is wrong', () => {
    const { bad } = readMemberLines(
      [
        '미나@학교.example',
        'mina@schüle.example',
        'nobody',
        'a@b.example,boss',
        'a@b.example,learner,more',
      ].join('\n'),
    )
    assert.deepEqual(
      bad.map(({ number, reason }) => `${number} ${reason.key}`),
      [
        '1 members.line.international',
        '2 members.line.international',
        '3 members.line.email',
        '4 members.line.role',
        '5 members.line.columns',
      ],
    )
  })

  test('keeps the line that names the columns for lines that come back', () => {
    assert.equal(readMemberLines('name,email\nMina,x').head, 'name,email')
    assert.equal(readMemberLines('email,role\nx').head, null)
  })
})
