import type { Command } from 'commander'
import {
  type OutsideCluster,
  outsideClusters,
  removeCluster,
  STATE_DIR,
} from '../../database/embedded/owners.ts'
import { CommandError } from './run.ts'
import { textTable } from './table.ts'

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
    .description('remove those whose DATA_DIR is gone, with all data in them')
    .argument('[names...]', 'these instead, also where nobody noted whose they are')
    .action(clear)
}

async function list(): Promise<void> {
  const all = await outsideClusters()
  if (all.length === 0) return console.log(`none in ${STATE_DIR}`)
  const rows = all.map(({ name, state, dataDir }) => [name, state, dataDir ?? 'not noted'])
  console.log(textTable([['name', 'state', 'DATA_DIR'], ...rows]))
}

async function clear(names: readonly string[]): Promise<void> {
  const meant = chosen(await outsideClusters(), names)
  for (const cluster of meant) {
    await removeCluster(cluster)
    console.log(`removed ${cluster.path}`)
  }
  if (meant.length === 0) console.log('nothing to clear')
}

function chosen(all: readonly OutsideCluster[], names: readonly string[]): OutsideCluster[] {
  if (names.length === 0) return all.filter(({ state }) => state === 'orphaned')
  return names.map((name) => {
    const found = all.find((cluster) => cluster.name === name)
    if (found === undefined)
      throw new CommandError(`there is no cluster ${name} in ${STATE_DIR}; clusters list names them`)
    return found
  })
}
