import type { Command } from 'commander'
import { STATE_DIR } from '../../database/embedded/cluster.ts'
import { type OutsideCluster, outsideClusters, removeCluster } from '../../database/embedded/owners.ts'
import { sizeOf } from '../../operating/size.ts'
import { CommandError } from './run.ts'
import { textTable } from './table.ts'
import { isTyped } from './typed-name.ts'

export function addClusters(program: Command): void {
  const clusters = program
    .command('clusters')
    .description(`databases that root keeps in ${STATE_DIR} because their user can’t reach DATA_DIR`)
  clusters
    .command('list', { isDefault: true })
    .description('show whose they are and when they were used')
    .action(list)
  clusters
    .command('clear')
    .description('delete one for good; without --name, only show what would be deleted')
    .argument('<name>', 'its name, from clusters list')
    .option('--name <name>', 'its name, to confirm')
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
    cluster.dataDir ?? 'unknown',
  ])
  console.log(textTable([['name', 'state', 'size', 'last used', 'DATA_DIR'], ...rows]))
}

async function clear(name: string, { name: typed }: { readonly name?: string }): Promise<void> {
  const cluster = (await outsideClusters()).find((one) => one.name === name)
  if (cluster === undefined)
    throw new CommandError(`there is no cluster ${name} in ${STATE_DIR}; list them with clusters list`)
  const { path, bytes, dataDir } = cluster
  const what = `${path} with all its data, ${sizeOf(bytes)}, last used ${usedOn(cluster)}, of ${dataDir ?? 'an unknown DATA_DIR'}`
  if (!isTyped(name, typed, what)) return
  await removeCluster(cluster)
  console.log(`deleted for good: ${path}`)
}

function usedOn({ usedAt }: OutsideCluster): string {
  return usedAt?.toISOString().slice(0, 10) ?? 'never'
}
