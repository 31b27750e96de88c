import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { z } from 'zod'
import { createPerson } from '../accounts/commands.ts'
import { displayName, email as emailField, newPassword } from '../accounts/fields.ts'
import { makeSignInLink } from '../accounts/links.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { findAccount, guessableWords } from '../accounts/queries.ts'
import { isWeakPassword } from '../accounts/weak-passwords.ts'
import { type MessageValues, translatorOf } from '../messages/catalogue.ts'
import { CommandError, type Tools, withDatabase } from './run.ts'
import { turnOffSecondFactor } from './second-factor.ts'

export function addUser(program: Command): void {
  const user = program.command('user').description('make accounts, and links that sign people in')
  user
    .command('create')
    .description('make an account; without a password it prints a one-time sign-in link')
    .requiredOption('--email <address>', 'what they sign in with')
    .requiredOption('--name <name>', 'as others see it')
    .option('--admin', 'may do everything on this forum')
    .option('--password-stdin', 'take the password from standard input')
    .action(create)
  user
    .command('link')
    .description('print a link that signs somebody in, once, within an hour')
    .argument('<email>', 'whose account')
    .action(link)
  user
    .command('second-factor-off')
    .description('turn off the second factor of somebody who lost phone and recovery codes')
    .argument('<email>', 'whose account')
    .action(turnOffSecondFactor)
}

interface CreateOptions {
  readonly email: string
  readonly name: string
  readonly admin?: boolean
  readonly passwordStdin?: boolean
}

async function create(options: CreateOptions): Promise<void> {
  const person = {
    displayName: checked('--name', displayName(), options.name),
    email: checked('--email', emailField(), options.email),
    isAdmin: options.admin === true,
  }
  const password = options.passwordStdin === true ? await passwordFromInput() : null
  await withDatabase(async (tools) => {
    if (password !== null) await refuseWeak(tools, password, person)
    const passwordHash = password === null ? null : await hashPassword(password)
    const id = await createPerson(tools.db, { ...person, passwordHash })
    if (id === null)
      throw new CommandError(`there is an account with ${person.email} already; user link signs in to it`)
    console.log(`made the account of ${person.displayName}${person.isAdmin ? ', an admin' : ''}`)
    if (password === null) await printLink(tools, id)
  })
}

async function link(address: string): Promise<void> {
  await withDatabase(async (tools) => {
    const account = await findAccount(tools.db, address.trim().toLowerCase())
    if (account === null)
      throw new CommandError(`nobody has an account with ${address}; user create makes one`)
    await printLink(tools, account.id)
  })
}

/** The link is on a line of its own, to be copied whole. */
async function printLink({ db, config }: Tools, personId: number): Promise<void> {
  console.log('signs in once, within an hour:')
  console.log(await makeSignInLink(db, personId, config.baseUrl))
}

/** One line; its end is no part of the password. */
async function passwordFromInput(): Promise<string> {
  const typed = await text(process.stdin)
  return checked('the password', newPassword(), typed.replace(/\r?\n$/, ''))
}

async function refuseWeak(
  { db, config }: Tools,
  password: string,
  person: { displayName: string; email: string },
) {
  const words = await guessableWords(db, config.baseUrl, person)
  if (isWeakPassword(password, words))
    throw new CommandError(`the password: ${say('accounts.password.weak')}`)
}

/** The same rules as in the forms. @throws CommandError naming the option and what is wrong */
function checked<Value>(what: string, field: z.ZodType<Value>, given: string): Value {
  const result = field.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const values = issue?.code === 'custom' ? (issue.params as MessageValues | undefined) : undefined
  throw new CommandError(`${what}: ${say(issue?.message ?? '', values)}`)
}

/** Commands speak English. */
const say = translatorOf('en')
