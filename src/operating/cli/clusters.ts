import type { Command } from 'commander'
import {
  type OutsideCluster,
  outsideClusters,
  removeCluster,
  STATE_DIR,
} from '../../database/embedded/owners.ts'
import { sizeOf } from '../size.ts'
import { CommandError } from './run.ts'
import { textTable } from './table.ts'
import { isTyped } from './typed-name.ts'

export function addClusters(program: Command): void {
  const clusters = program
    .command('clusters')
    .description(`databases that root keeps in ${STATE_DIR}, as their user cannot reach DATA_DIR`)
  clusters
    .command('list', { isDefault: true })
    .description('whose they are, and which nobody uses')
    .action(list)
  clusters
    .command('clear')
    .description('remove one for good; without --name it only says what would go')
    .argument('<name>', 'as clusters list has it')
    .option('--name <name>', 'its name, typed again: do it')
    .action(clear)
}

async function list(): Promise<void> {
  const all = await outsideClusters()
  if (all.length === 0) return console.log(`none in ${STATE_DIR}`)
  const rows = all.map((cluster) => [
    cluster.name,
    cluster.state,
    sizeOf(cluster.bytes),
    usedOn(cluster),
    cluster.dataDir ?? 'not noted',
  ])
  console.log(textTable([['name', 'state', 'size', 'last used', 'DATA_DIR'], ...rows]))
}

async function clear(name: string, { name: typed }: { readonly name?: string }): Promise<void> {
  const cluster = (await outsideClusters()).find((one) => one.name === name)
  if (cluster === undefined)
    throw new CommandError(`there is no cluster ${name} in ${STATE_DIR}; clusters list names them`)
  const { path, bytes, dataDir } = cluster
  const what = `${path} with all its data, ${sizeOf(bytes)}, last used ${usedOn(cluster)}, of ${dataDir ?? 'an unknown DATA_DIR'}`
  if (!isTyped(name, typed, what)) return
  await removeCluster(cluster)
  console.log(`deleted for good: ${path}`)
}

function usedOn({ usedAt }: OutsideCluster): string {
  return usedAt?.toISOString().slice(0, 10) ?? 'never'
}
