import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { z } from 'zod'
import { AddressTaken } from '../../accounts/address/address.ts'
import { displayName, email as emailField, newPassword } from '../../accounts/identity/fields.ts'
import { hashNewPassword } from '../../accounts/identity/passwords.ts'
import { Refused } from '../../kernel/problem.ts'
import { type MessageValues, translatorOf } from '../../messages/catalogue.ts'
import { accountCreation, signInLinkMaking } from '../../operating/admin/operations.ts'
import { newSetUpLink } from '../../operating/set-up/set-up.ts'
import { readSecretKeys } from '../../operating/start/secret.ts'
import { accountCalled } from './account.ts'
import { performAsOperator } from './perform.ts'
import { CommandError, type Tools, withDatabase } from './run.ts'
import { turnOffSecondFactor } from './second-factor.ts'

export function addUser(program: Command): void {
  const user = program.command('user').description('create accounts and sign-in links')
  user
    .command('create')
    .description('create an account; without a password, print a one-time sign-in link')
    .requiredOption('--email <address>', 'their email address')
    .requiredOption('--name <name>', 'their display name')
    .option('--admin', 'can do everything on this forum')
    .option('--password-stdin', 'read the password from standard input')
    .action(create)
  user
    .command('link')
    .description('print a sign-in link that works once, within an hour')
    .argument('<account>', ACCOUNT)
    .action(link)
  user
    .command('set-up')
    .description('print another link to set up a new forum, which works once, within an hour')
    .action(printSetUpLink)
  user
    .command('second-factor-off')
    .description('turn off two-factor authentication for someone who lost phone and recovery codes')
    .argument('<account>', ACCOUNT)
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
    const id = await performAsOperator(tools, accountCreation, null, {
      display_name: person.displayName,
      email: person.email,
      admin: person.isAdmin,
      password: password === null ? '' : await hashed(tools, password, person),
    }).catch((error: unknown) => {
      if (!(error instanceof AddressTaken)) throw error
      throw new CommandError(
        `an account with ${person.email} already exists; print a link to it with user link`,
      )
    })
    console.log(`created the account of ${person.displayName}${person.isAdmin ? ', an admin' : ''}`)
    if (password === null) await printLink(tools, id)
  })
}

async function link(called: string): Promise<void> {
  await withDatabase(async (tools) => printLink(tools, await accountCalled(tools.db, called)))
}

async function printSetUpLink(): Promise<void> {
  await withDatabase(async ({ db, config }) => {
    const made = await newSetUpLink(db, config.baseUrl, (await readSecretKeys(config))[0])
    if (made === null)
      throw new CommandError('the forum has an admin; print a link that signs them in with user link')
    console.log('one-time set-up link, valid for an hour; earlier ones no longer work:')
    console.log(made.url)
  })
}

const ACCOUNT = 'the account’s email address, or its number in /admin/people'

/** Anybody may have signed up with somebody else's address: accounts/address/address.ts. */
const UNCONFIRMED =
  'give the link only to the owner of that mailbox; it confirms the address and ends every other way into the account'

/** The link has a line of its own, so that it is easy to copy. */
async function printLink(tools: Tools, personId: number): Promise<void> {
  const { link, isConfirmed } = await performAsOperator(tools, signInLinkMaking, personId)
  if (!isConfirmed) console.log(`the address is not confirmed: ${UNCONFIRMED}`)
  console.log('one-time sign-in link, valid for an hour:')
  console.log(link)
}

/** One line; its line break is not part of the password. */
async function passwordFromInput(): Promise<string> {
  const typed = await text(process.stdin)
  return checked('the password', newPassword(), typed.replace(/\r?\n$/, ''))
}

async function hashed(tools: Tools, password: string, whose: { displayName: string; email: string }) {
  return hashNewPassword(tools, password, whose).catch((error: unknown) => {
    throw error instanceof Refused
      ? new CommandError(`the password: ${say('accounts.password.weak')}`)
      : error
  })
}

/**
 * The rules of the forms.
 * @throws CommandError naming the option and the reason
 */
function checked<Value>(what: string, field: z.ZodType<Value>, given: string): Value {
  const result = field.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const values = issue?.code === 'custom' ? (issue.params as MessageValues | undefined) : undefined
  throw new CommandError(`${what}: ${say(issue?.message ?? '', values)}`)
}

/** Commands print English. */
const say = translatorOf('en')
