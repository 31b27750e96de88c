import type { Command } from 'commander'
import { email } from '../../accounts/identity/fields.ts'
import { readConfig } from '../../config.ts'
import { MAX_MAIL_BYTES, readMail } from '../../forum/answering-by-mail/read-mail.ts'
import { receiveMail } from '../../forum/answering-by-mail/receive.ts'
import { readSecretKeys } from '../../operating/start/secret.ts'
import { sendTestMail } from '../../operating/test-mail.ts'
import { CommandError, logEvent, withDatabase } from './run.ts'

export function addMail(program: Command): void {
  const mail = program.command('mail').description('email that the forum sends and receives')
  mail
    .command('receive')
    .description('receive an answer or a returned email on standard input: see docs/mail.md')
    .action(receive)
  mail
    .command('test')
    .description('send a test email at once, and print what the mail server answered')
    .argument('<address>', 'where it goes')
    .action(test)
}

/** Needs no database: only the settings. */
async function test(address: string): Promise<void> {
  const to = email().safeParse(address)
  if (!to.success) throw new CommandError(`${address} is not an email address`)
  const config = readConfig(process.env)
  const sent = await sendTestMail(config, (await readSecretKeys(config))[0], to.data, 'en')
  if (sent === null) throw new CommandError('SMTP_URL is not set: emails stay on /mail')
  const { host } = new URL(config.smtpUrl ?? '')
  if (!sent.isAccepted) throw new CommandError(`${host} did not accept the email: ${sent.answer}`)
  console.log(`${host} accepted the email: ${sent.answer}`)
  if (sent.isReturnRefused)
    console.log('it accepts only MAIL_FROM as return address: returned email isn’t noticed (docs/mail.md)')
}

/** Exit codes that mail servers know (sysexits.h): Postfix's pipe(8) and Exim's temp_errors keep an email and try again at 75 alone. */
const [UNREADABLE, TRY_AGAIN] = [65, 75]

async function receive(): Promise<void> {
  process.exitCode = TRY_AGAIN
  const raw = await input()
  await withDatabase(async ({ db, config }) => {
    if (config.replyAddress === null)
      throw new CommandError('REPLY_ADDRESS is not set: no one can answer by email')
    const mail = await readMail(raw).catch(() => unreadable('this is not an email'))
    console.log(await receiveMail(db, { ...config, keys: await readSecretKeys(config), log: logEvent }, mail))
  })
  process.exitCode = 0
}

function unreadable(why: string): never {
  process.exitCode = UNREADABLE
  throw new CommandError(why)
}

async function input(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > MAX_MAIL_BYTES) unreadable('the email is larger than 15 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
