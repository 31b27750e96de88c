/** A statement of a migration in steps. */
export interface Step {
  readonly statement: string
  /** The index that it builds or drops concurrently: outside of a transaction. */
  readonly index: string | null
  /** The table whose ids its $1 (exclusive) and $2 (inclusive) are: it is executed for one range of them after the other. */
  readonly over: string | null
}

/** Whether a migration's first line says that each of its statements is committed by itself. */
export function isInSteps(text: string): boolean {
  return /^-- In steps\b/.test(text)
}

/**
 * The statements of a migration in steps, each of which ends with a semicolon at the end of a line.
 * @throws Error when a statement could not be repeated after it was broken off, or lacks what it needs
 */
export function stepsOf(text: string): Step[] {
  return partsOf(text).map(stepOf)
}

/** The functions and views of a file of db/schema, without its triggers, which are not replaced. */
export function replaceableOf(text: string): string {
  const statements = partsOf(text).map(withoutComments)
  return statements
    .filter((statement) => /^create or replace (?:function|view) /.test(statement))
    .map((statement) => `${statement};\n`)
    .join('\n')
}

/** The same text, before each trigger of which one of its name is dropped: a constraint trigger can't be replaced. */
export function replacing(text: string): string {
  return text.replace(
    /^create (?:constraint )?trigger (\w+) [^;]*? on (\w+)/gm,
    (created, name: string, table: string) => `drop trigger if exists ${name} on ${table};\n${created}`,
  )
}

/** Statements with the comments before them. */
function partsOf(text: string): string[] {
  return (text.match(STATEMENT) ?? []).filter((part) => part.replace(/^\s*--.*$/gm, '').trim() !== '')
}

/** Comments in the body of a function are part of it. */
function withoutComments(part: string): string {
  return part.replace(/^(?:\s*--.*\n)+/, '').trim()
}

function stepOf(part: string): Step {
  const statement = withoutComments(part)
  const index = CONCURRENT_INDEX.exec(statement)?.[1] ?? null
  const over = /^-- over (\w+)$/m.exec(part)?.[1] ?? null
  if (/\bconcurrently\b/i.test(statement) && index === null)
    throw new Error(
      `write "create index concurrently if not exists NAME" or "drop index concurrently if exists NAME": ${statement}`,
    )
  if ((over !== null) !== /\$[12]/.test(statement))
    throw new Error(
      `a statement with $1 and $2 needs a line "-- over TABLE" before it, and no other does: ${statement}`,
    )
  return { statement, index, over }
}

/** Up to a semicolon at the end of a line that is not in the body of a function. */
const STATEMENT = /(?:\$\$.*?\$\$|;(?![ \t]*$)|[^;])+/gms

const CONCURRENT_INDEX =
  /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) (\w+)/i
