import type { Command } from 'commander'
import { MAX_MAIL_BYTES, readMail } from '../../forum/answering-by-mail/read-mail.ts'
import { receiveMail } from '../../forum/answering-by-mail/receive.ts'
import { CommandError, withDatabase } from './run.ts'

export function addMail(program: Command): void {
  const mail = program.command('mail').description('email that the forum receives')
  mail
    .command('receive')
    .description('receive an answer by email on standard input: see docs/mail.md')
    .action(receive)
}

async function receive(): Promise<void> {
  const raw = await input()
  await withDatabase(async ({ db, config }) => {
    if (config.replyAddress === null)
      throw new CommandError('REPLY_ADDRESS is not set: no one can answer by email')
    const mail = await readMail(raw).catch(() => {
      throw new CommandError('this is not an email')
    })
    console.log(await receiveMail(db, config, mail))
  })
}

async function input(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    size += chunk.length
    if (size > MAX_MAIL_BYTES) throw new CommandError('the email is larger than 15 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
