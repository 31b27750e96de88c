import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Random } from '../generate/random.ts'
import { type Mutation, mutated } from './rules.ts'

/** Where a kind of rule stands in the code, and what a line without it is. */
interface Kind {
  /** Of the rule, before the place. */
  readonly about: string
  readonly files: string
  /** What is replaced; `instead` gets what it matched. */
  readonly pattern: RegExp
  readonly instead: (match: string) => string
  readonly count: number
}

const KINDS: readonly Kind[] = [
  {
    about: 'who may do it',
    files: 'src/kernel/rights/table.ts',
    pattern: /(?:^ {4}|, )(?:STAFF|INSTRUCTORS|ADMINS|WRITERS|SIGNED_IN)\b(?=[,)])/,
    instead: (match) =>
      match.replace(/\w+$/, match.endsWith('WRITERS') || match.endsWith('IN') ? 'EVERYBODY' : 'WRITERS'),
    count: 8,
  },
  {
    about: 'how often',
    files: 'src/kernel/limits.ts',
    pattern: /max: \d+/,
    instead: (match) => `${match}_000`,
    count: 4,
  },
  {
    about: 'what is hidden, deleted or not listed',
    files: 'src/{forum,rights,doors}/**/*.ts',
    pattern: / and (?:\w+\.)?(?:is_listed|is_shown|(?:hidden_at|deleted_at|held_at) is null)\b/,
    instead: () => '',
    count: 10,
  },
  {
    about: 'what is looked up is not deleted',
    files: 'src/{forum,accounts}/**/*.ts',
    pattern: /\.where\('[\w.]*(?:hidden_at|deleted_at|left_at)', 'is', null\)/,
    instead: () => '',
    count: 4,
  },
  {
    about: 'what people wrote is escaped',
    files:
      'views/{answers,cases,courses,desk,drafts,members,notifications,people,questions,search,tags}/*.eta',
    pattern: /<%= (?:\w+\.)+(?:displayName|questionTitle|title|author|name|text) %>/,
    instead: (match) => match.replace('<%=', '<%~'),
    count: 6,
  },
  {
    about: 'what a write depends on is locked',
    files: 'src/{forum,accounts,rights}/**/*.ts',
    pattern: /\.for(?:Update|Share|NoKeyUpdate)\(\)| for (?:no key )?update\b| for share\b/,
    instead: () => '',
    count: 4,
  },
]
const TRIGGERS = 4

/** Rules drawn from the places of each kind, and triggers that are dropped: the same for one seed and one state of the code. */
export function drawnMutations(root: string, seed: number): Mutation[] {
  const random = new Random(seed)
  const drawn = KINDS.flatMap((kind) => some(random, placesOf(root, kind), kind.count))
  return [...drawn, ...some(random, triggersOf(root), TRIGGERS)]
}

function placesOf(root: string, { about, files, pattern, instead }: Kind): Mutation[] {
  return sourcesIn(root, files).flatMap(({ file, text }) =>
    text.split('\n').flatMap((line) => {
      const found = pattern.exec(line)?.[0]
      if (found === undefined) return []
      const mutation = {
        rule: `${about}, in ${basename(dirname(file))}: ${line.trim()}`,
        file,
        from: line,
        to: line.replace(found, instead(found)),
      }
      return isOnce(text, mutation) ? [mutation] : []
    }),
  )
}

/** One more file of functions drops the trigger: databases of tests are made by applying all of them. */
function triggersOf(root: string): Mutation[] {
  const made = sourcesIn(root, 'db/schema/functions/*.sql').flatMap(({ text }) => [
    ...text.matchAll(/^create (?:constraint )?trigger (\w+)[\s\S]*?\bon (\w+)/gm),
  ])
  return made.map(([, name, table]) => ({
    rule: `what a trigger keeps: ${name} of ${table}`,
    file: `db/schema/functions/without_${name}.sql`,
    from: '',
    to: `drop trigger if exists ${name} on ${table};\n`,
  }))
}

function sourcesIn(root: string, files: string) {
  return globSync(files, { cwd: root })
    .filter((file) => !/test\.ts$|testing\.ts$/.test(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(`${root}/${file}`, 'utf8') }))
}

function isOnce(text: string, mutation: Mutation): boolean {
  try {
    return mutated(text, mutation) !== text
  } catch {
    return false
  }
}

function some(random: Random, all: readonly Mutation[], count: number): Mutation[] {
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.below(left.length), 1),
  ).flat()
}
