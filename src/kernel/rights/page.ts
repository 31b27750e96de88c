import { row, table } from '../../text/markdown-table.ts'
import { UNDO_HOURS } from './rights.ts'
import {
  type Act,
  type Cell,
  COURSE_ACTS,
  FORUM_ACTS,
  POST_ACTS,
  RIGHTS,
  type Rule,
  type Standing,
} from './table.ts'

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
  open: 'if it is public and open to everyone',
  never: 'no',
}
const CHANGES = {
  may: 'yes',
  'may-undo': `what they deleted themselves, for ${UNDO_HOURS} h`,
  never: 'no',
} as const

const INTRODUCTION = `# Who can do what

Written by \`npm run --silent handup -- rights > docs/rights.md\` from the table that the code reads
(\`src/kernel/rights/table.ts\`; only \`src/kernel/rights/rights.ts\` decides by it). Don't edit this page: a test compares the two, and another one tries
every route in every role (\`src/kernel/rights/routes.test.ts\`).

A person has a role in each of their courses, and none in others: the instructor of one course is "signed in, not in the course"
in another. Asking, answering or replying in a public course makes a person a learner there, until they leave it in their settings. Admins
are admins everywhere.

Roles are given to email addresses, and anyone can sign up with someone else's. So a role takes effect only when the owner of the
mailbox has confirmed the address. An invitation link makes anyone who has it a learner at once; a higher role waits in the same way.

If admins require two-factor authentication for staff (\`/settings/site\`), admins, instructors and assistants without it can read as
before and otherwise have a learner's rights. Refused requests lead them to set it up.`

const SOURCES = [
  ['an instructor or admin, on the members page or by a file', 'until someone changes it'],
  ['an invitation link', 'until someone changes it'],
  ['a role that waits for an address', 'from confirming the address, until someone changes it'],
  ['asking, answering or replying in a public course', 'a learner, until they leave'],
  [
    'a value of a sign-in provider’s claim (`/admin/sign-in`)',
    'until a sign-in without the value. A higher role set by hand stays, a lower one comes back, and a claimed role that someone changes is theirs from then on',
  ],
]

const ANSWERS = [
  [
    'a visitor, anything that needs an account',
    '`303` to `/sign-in`, before anything is looked up, whether it exists or not',
  ],
  ['anyone, anything in a course they can’t read', '`404`, as if it didn’t exist'],
  ['a reader of the course, something deleted', '`410`'],
  ['a reader of the course, something they can’t do', '`403`'],
]

const PEOPLE = `## People

A profile can be opened by people who can read a course that the person is in or wrote in, by the person, and by admins; everyone else
gets \`404\`. So people who are only in private courses, or in none, are unknown to others. What a profile lists and counts, and the number
of questions beside an author's name, covers the courses that the viewer can read.`

/** An operation, as far as this page goes. */
interface Done {
  readonly name: string
  readonly right: Act
  readonly rightOnProfile?: Act
}

/** docs/rights.md: the table of rights as a page of Markdown. @param operations all there are */
export function rightsPage(operations: readonly Done[]): string {
  return [
    INTRODUCTION,
    '## Where roles come from',
    table(
      ['from', 'how long'],
      SOURCES.map((cells) => row(...cells)),
    ),
    section('The forum', FORUM_ACTS, []),
    section('A course', COURSE_ACTS, []),
    section('A question, an answer, a reply', POST_ACTS, ['its author', 'the asker']),
    'The columns of its author and the asker override the role; an empty cell changes nothing. No one can do anything in a course that\n' +
      `they can’t read. Deleted posts allow only: ${still('deleted', POST_ACTS)}. Only staff can restore what staff deleted. If its question is\n` +
      `deleted, an answer or a reply allows only: ${still('orphaned')}. A reply whose answer is deleted allows nothing.\n` +
      'A post that is held back or hidden, and what is below it, doesn’t exist for anyone but its author and staff, and allows only:\n' +
      `${still('hidden')}.`,
    `An archived course allows only: ${still('archived')}.`,
    '## Operations\n\nWhat people do, and the act that it needs. Sometimes the input needs another one too: an operation says so in its `run`.',
    table(['act', 'operations'], operationRows(operations)),
    '## Refusals',
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

function operationRows(operations: readonly Done[]): string[] {
  return [...FORUM_ACTS, ...COURSE_ACTS, ...POST_ACTS].flatMap((act) => {
    const needing = operations.filter(({ right, rightOnProfile }) => right === act || rightOnProfile === act)
    const names = needing.map(({ name }) => name)
    return names.length === 0 ? [] : [row(`**${act}**`, names.join(', '))]
  })
}

/** Acts that can still be done to what is deleted and the like. */
function still(what: Rule['on'][number], acts: readonly Act[] = [...COURSE_ACTS, ...POST_ACTS]): string {
  return acts.filter((act) => RIGHTS[act].on.includes(what)).join(', ')
}
