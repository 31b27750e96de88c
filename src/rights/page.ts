import { row, table } from '../text/markdown-table.ts'
import { UNDO_HOURS } from './rights.ts'
import { type Act, type Cell, COURSE_ACTS, FORUM_ACTS, POST_ACTS, RIGHTS, type Standing } from './table.ts'

const STANDINGS: Readonly<Record<Standing, string>> = {
  visitor: 'visitor',
  outsider: 'signed in, not in the course',
  learner: 'learner',
  assistant: 'assistant',
  instructor: 'instructor',
  admin: 'admin',
}
const CELLS: Readonly<Record<Cell, string>> = {
  always: 'yes',
  public: 'if it is public',
  open: 'if it is public and everybody may write in it',
  never: 'no',
}
const CHANGES = {
  may: 'yes',
  'may-undo': `what they deleted themselves, for ${UNDO_HOURS} h`,
  never: 'no',
} as const

const INTRODUCTION = `# Who may do what

Written by \`npm run --silent handup -- rights > docs/rights.md\` from the table that the code itself reads
(\`src/rights/table.ts\`, decided upon in \`src/rights/rights.ts\` and nowhere else). Do not edit this page by hand: a test compares the
two, and another one tries every route as everybody (\`src/rights/routes.test.ts\`).

A person has a role in each course they belong to, and none in others: who instructs one course is "signed in, not in the
course" in another. A person who asks, answers or replies in a public course belongs to it as a learner, until they leave it in their
settings. Admins are admins everywhere.

A role is given to an e-mail address. Anybody can sign up under somebody else's, so it waits until the owner of the mailbox has
confirmed the address: an account that has not gets no right by it.

Where admins require a second factor of staff (\`/settings/site\`), admins, instructors and assistants without one read as ever and
else do what learners do; what they are refused leads them to set one up.`

const ANSWERS = [
  [
    'a visitor, what needs somebody signed in',
    '`303` to `/sign-in`, before anything is looked up: the same whether it is there or not',
  ],
  ['anybody, what is in a course they may not read', '`404`, exactly as if it were not there'],
  ['a reader of the course, what is deleted', '`410`'],
  ['a reader of the course, what they may not do', '`403`'],
]

const PEOPLE = `## People

A name is told where its bearer is. A profile is found by those who may read a course that the person is in or wrote in, by the
person, and by admins; everybody else gets \`404\`. So who is in private courses alone, or in none, is unknown to all others. What
a profile lists and counts, and the number of questions beside an author's name, are of the courses that the viewer may read.`

/** docs/rights.md: the table of rights as a page of Markdown. */
export function rightsPage(): string {
  return [
    INTRODUCTION,
    section('The forum', FORUM_ACTS, []),
    section('A course', COURSE_ACTS, []),
    section('A question, an answer, a reply', POST_ACTS, ['its author', 'the asker']),
    'Its author, and who asked the question it belongs to, may and may not do what their own columns say, whatever their role; an\n' +
      'empty cell changes nothing. Nobody does anything in a course that they may not read, and nothing with what is deleted but\n' +
      `${ofDeleted().join(', ')} it. What staff deleted, only staff restore. Of an answer or a reply whose question is deleted,\n` +
      `those who may can still do this: ${left().join(', ')}. Nothing is done with a reply whose answer is deleted.`,
    `In an archived course nobody does any of this but: ${ofArchived().join(', ')}.`,
    '## What somebody is told who may not',
    table(
      ['who, what', 'answer'],
      ANSWERS.map((cells) => row(...cells)),
    ),
    PEOPLE,
    '',
  ].join('\n\n')
}

function section(title: string, acts: readonly Act[], others: readonly string[]): string {
  const head = ['act', ...Object.values(STANDINGS), ...others]
  const rows = acts.map((act) => {
    const { about, who, author, asker } = RIGHTS[act]
    const cells = (Object.keys(STANDINGS) as Standing[]).map((standing) => CELLS[who[standing]])
    const special = [author, asker].map((change) => (change === null ? '' : CHANGES[change]))
    return row(`**${act}**: ${about}`, ...cells, ...special.slice(0, others.length))
  })
  return `## ${title}\n\n${table(head, rows)}`
}

function left(): string[] {
  return [...COURSE_ACTS, ...POST_ACTS].filter((act) => RIGHTS[act].isLeftByQuestion)
}

function ofArchived(): string[] {
  return [...COURSE_ACTS, ...POST_ACTS].filter((act) => RIGHTS[act].isOfArchived)
}

function ofDeleted(): string[] {
  return POST_ACTS.filter((act) => RIGHTS[act].isOfDeleted)
}
