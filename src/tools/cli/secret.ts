import type { Command } from 'commander'
import { renewClientSecrets } from '../../accounts/providers/seal-secrets.ts'
import { renewSecrets } from '../../accounts/second-factor/sealed-secret.ts'
import { renewWebhooks } from '../../forum/webhooks/webhook.ts'
import { readSecretKeys, unreadableLine } from '../../operating/start/secret.ts'
import { CommandError, withDatabase } from './run.ts'

export function addSecret(program: Command): void {
  const secret = program.command('secret').description('the forum’s SECRET, and what is encrypted with it')
  secret
    .command('rotate')
    .description('encrypt stored secrets anew with the first secret of SECRET=new,old')
    .action(rotate)
}

async function rotate(): Promise<void> {
  await withDatabase(async ({ db, config }) => {
    const keys = await readSecretKeys(config)
    const renewed =
      (await renewSecrets(db, keys)) + (await renewClientSecrets(db, keys)) + (await renewWebhooks(db, keys))
    console.log(`encrypted ${renewed} secrets with the first secret of SECRET`)
    const unreadable = await unreadableLine(db, keys)
    if (unreadable !== null) throw new CommandError(unreadable)
    if (keys.length > 1)
      console.log('keep the old secret in SECRET as long as links in emails should work; docs/operating.md')
  })
}
