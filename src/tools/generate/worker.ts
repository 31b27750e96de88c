import { parentPort, workerData } from 'node:worker_threads'
import { makeChunk } from './chunk.ts'
import { renderedSamples } from './code-samples.ts'
import type { Plan } from './plan.ts'
import { ThreadMaker } from './threads.ts'

/** Generates chunks on request, one at a time, and posts back their rows. */
const maker = new ThreadMaker(workerData as Plan, await renderedSamples())

parentPort?.on('message', ({ from, to }: { from: number; to: number }) => {
  parentPort?.postMessage(makeChunk(maker, from, to))
})
