import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { valuesOf } from '../../testing/rows.ts'
import { type ReadLines, readMemberLines } from './member-lines.ts'

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

/** As a file of that name is read, or as text that is pasted. */
function read(list: string, isTable = false, column: number | null = null): ReadLines {
  const lines = readMemberLines({ list, isTable, column })
  assert.ok('good' in lines, JSON.stringify(lines))
  return lines
}

/** Address, role and name of each; -: none. */
const named = ({ good }: ReadLines) =>
  good.map(({ email, role, name }) => [email, role ?? '-', name ?? '-'].join(' '))
const reasons = ({ bad }: ReadLines) => bad.map(({ number, reason }) => `${number} ${reason.key}`)

suite('a list of members', () => {
  for (const [what, list, people] of READ)
    test(`may be ${what}`, () => {
      const { good, bad } = read(list)
      const found = good.map(({ email, role }) => `${email} ${role ?? '-'}`)
      assert.deepEqual([found, bad], [people, []])
    })

  test('refuses an internationalised address by that name, and says what else is wrong', () => {
    const lines = ['미나@학교.example', 'mina@schüle.example', 'nobody', 'a@b.example,boss']
    assert.deepEqual(reasons(read([...lines, 'a@b.example,learner,more'].join('\n'))), [
      '1 members.line.international',
      '2 members.line.international',
      '3 members.line.email',
      '4 members.line.role',
      '5 members.line.columns',
    ])
  })

  test('takes what stands behind an address for a name where it looks like one, and for no role', () => {
    const people = [
      ['anna@x.example, Anna Bell', 'anna@x.example', 'Anna Bell'],
      ['lu@x.example\tLudwig van Bell', 'lu@x.example', 'Ludwig van Bell'],
      ['tom@x.example,"Bell, Tom"', 'tom@x.example', 'Tom Bell'],
      ['mina@x.example,박민아', 'mina@x.example', '박민아'],
    ] as const
    for (const [line, address, name] of people)
      assert.deepEqual(named(read(line)), [`${address} - ${name}`], line)
    const table = people.map(([, address, name]) => `${address},${name}`).join('\n')
    const all = people.map(([, address, name]) => `${address} - ${name}`)
    assert.deepEqual(named(read(table)), all)
    for (const role of ['boss', 'Head Teacher', '보조강사', 'Mina', 'see www.x.example'])
      assert.deepEqual(reasons(read(`a@x.example,${role}`)), ['1 members.line.role'], role)
  })

  test('keeps the line that names the columns for lines that come back', () => {
    const heads = (list: string) => read(list).bad.map(({ head }) => head)
    assert.deepEqual(heads('name,email\nMina,x'), ['name,email'])
    assert.deepEqual(heads('sep=;\nname;email\nMina;x'), ['sep=;\nname;email'])
    assert.deepEqual(heads('email,role\nx'), [null])
  })

  test('is read by the names that course systems and meetings give the columns, with names to greet', () => {
    const workspace =
      'First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required],Status [READ ONLY]\r\nMina,Park,mina.g@x.example,/Students,Active\r\n'
    assert.deepEqual(named(read(workspace)), ['mina.g@x.example - Mina Park'])
    const zoom =
      'Meeting ID,Topic,Start Time,End Time,User Email,Duration (Minutes),Participants\n812,Week 1,10:00,11:00,host@x.example,60,2\n\nName (Original Name),User Email,Total Duration (Minutes),Guest\n"Lee, Jun (Jun)",jun@x.example,58,No\nMina,mina@x.example,20,No\nMina,mina@x.example,30,No\niPhone,,3,Yes\n'
    const meeting = read(zoom, true)
    assert.deepEqual(valuesOf(meeting.good, 'email'), ['host@x.example', 'jun@x.example', 'mina@x.example'])
    assert.deepEqual(reasons(meeting), ['8 members.line.none'])
    const teams = [
      ['1. Summary'],
      ['Meeting title', 'Week 1'],
      ['Attended participants', '2'],
      ['Start time', '11/27/26, 9:58:00 AM'],
      ['End time', '11/27/26, 11:02:00 AM'],
      ['Meeting duration', '1h 4m'],
      ['Average attendance time', '58m'],
      [],
      ['2. Participants'],
      ['Name', 'First Join', 'Last Leave', 'Duration', 'Email', 'Participant ID (UPN)', 'Role'],
      ['Mina Park', '9:59', '11:01', '1h', 'mina@x.example', 'mina@x.example', 'Presenter'],
      ['박민아', '9:59', '11:01', '1h', 'ann@x.example', 'ann@tenant.example', 'Attendee'],
      [],
      ['3. In-Meeting Activities'],
      ['Name', 'Join Time', 'Leave Time', 'Duration', 'Email', 'Role'],
      ['Mina Park', '9:59', '10:30', '31m', 'mina@x.example', 'Presenter'],
    ].map((cells) => cells.join('\t'))
    const expected = ['mina@x.example - Mina Park', 'ann@x.example - 박민아']
    for (const isTable of [true, false]) assert.deepEqual(named(read(teams.join('\r\n'), isTable)), expected)
    const moodle =
      '"이름","성","이메일 주소","역할"\n민아,박,m@x.example,"학생, 조교"\nJun,Lee,j@x.example,No roles'
    assert.deepEqual(named(read(moodle)), ['m@x.example assistant 박민아', 'j@x.example - Jun Lee'])
    const canvas = 'Student,ID,SIS User ID,SIS Login ID,Section\n"Park, Mina",7,s7,mina@x.example,A\n'
    assert.deepEqual(named(read(canvas)), ['mina@x.example - Mina Park'])
  })

  test('makes no row of what somebody typed into a cell', () => {
    const answers =
      'Timestamp,Email Address,Role,What do you hope to learn?\r\n2026/11/27 10:00,mina.f@x.example,Student,"Paging.\n2026/11/27 10:01,mallory@x.example,Teacher,\nThanks!"\r\n2026/11/27 10:02,jun.f@x.example,Student,Verbs\r\n'
    const expected = ['mina.f@x.example learner -', 'jun.f@x.example learner -']
    for (const isTable of [true, false]) assert.deepEqual(named(read(answers, isTable)), expected)
    const titled = answers.replace(/^/, 'Welcome survey\r\nAll answers\r\n')
    assert.deepEqual(named(read(titled)), expected)
    const asHead = 'Timestamp,Email Address,Answer\n1,a@x.example,\n2,,Email\n3,b@x.example,Role'
    assert.deepEqual(valuesOf(read(asHead).good, 'email'), ['a@x.example', 'b@x.example'])
  })

  test('refuses all of a table whose quote never closes, and names the line on which it opens', () => {
    const open = [
      ['email,role\n"mina@x.example,learner\nmallory@x.example,instructor\n', 2],
      ['email,note\nmina@x.example,"fine\nso"\njun@x.example,"open\nmallory@x.example,Teacher\n', 4],
      ['name,email\n"Mina,m@x.example\nJun,j@x.example\n"Park, Ann",a@x.example\n', 2],
      ['"mina@x.example,learner\njun@x.example,learner\n', 1],
    ] as const
    for (const [list, line] of open)
      for (const isTable of [true, false])
        assert.deepEqual(readMemberLines({ list, isTable, column: null }), {
          fault: { key: 'forms.table.quote', values: { line } },
        })
    assert.deepEqual(named(read('name\temail\n"Mimi" Park\tm@x.example\nAnn "A" Lee\ta@x.example')), [
      'm@x.example - "Mimi" Park',
      'a@x.example - Ann "A" Lee',
    ])
  })

  test('has no invisible characters at the ends of its cells, whatever separates them', () => {
    const invisible =
      'email,role\r\n\u200Bmina.z@x.example,learner\r\njun.z@x.example\u200B,learner\r\n\u202Aann.z@x.example\u202C,learner\r\n'
    const people = ['mina.z@x.example', 'jun.z@x.example', 'ann.z@x.example']
    const learners = people.map((email) => `${email} learner -`)
    assert.deepEqual(named(read(invisible)), learners)
    const bare = named(read('\u200Bmina@x.example\njun@x.example\u2060'))
    assert.deepEqual(bare, ['mina@x.example - -', 'jun@x.example - -'])
    const excel =
      'sep=;\r\nName;Email;Role;Section\r\n"Park, Mina";mina.p@x.example;Student;A\r\n"Lee, Jun";jun.l@x.example;TA;B\r\n'
    assert.deepEqual(named(read(excel)), [
      'mina.p@x.example learner Mina Park',
      'jun.l@x.example assistant Jun Lee',
    ])
  })

  test('without known names is read by the only column that holds addresses; of two, which is asked', () => {
    const swedish = 'Namn;E-post;Grupp\nMina Park;m@x.example;A\nJun Lee;j@x.example;TA'
    assert.deepEqual(named(read(swedish)), ['m@x.example - -', 'j@x.example - -'])
    assert.deepEqual(named(read('Mina Park,m@x.example,Student\nJun Lee,j@x.example,TA')), [
      'm@x.example learner Mina Park',
      'j@x.example assistant Jun Lee',
    ])
    const two = 'Namn,Elevens post,Mammas post\nMina,m@x.example,p@x.example\nJun,j@x.example,q@x.example'
    assert.deepEqual(readMemberLines({ list: two, isTable: false, column: null }), {
      columns: [
        { index: 1, title: 'Elevens post', example: 'm@x.example' },
        { index: 2, title: 'Mammas post', example: 'p@x.example' },
      ],
    })
    assert.deepEqual(valuesOf(read(two, false, 2).good, 'email'), ['p@x.example', 'q@x.example'])
  })

  test('gives no name that a mail program would make a link of, or that is none', () => {
    const links = ['evil.example', 'https://x', 'a@b.example']
    for (const name of [...links, '12345', 'Instructor', 'x'.repeat(51), '—'])
      assert.deepEqual(named(read(`name,email\n${name},m@x.example`)), ['m@x.example - -'], name)
  })

  test('of more people than a list may have takes none, also several on a line', () => {
    const many = { fault: { key: 'members.list.many', values: { max: 20_000 } } }
    const pasted = { isTable: false, column: null }
    const line = (length: number, separator: string) =>
      Array.from({ length }, (_, at) => `p${at}@x.example`).join(separator)
    for (const separator of ['\n', ', ', ',Mina\n'])
      for (const length of [20_001, 30_000])
        assert.deepEqual(readMemberLines({ ...pasted, list: line(length, separator) }), many)
  })
})
