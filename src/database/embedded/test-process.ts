import { type EmbeddedOptions, startEmbedded } from './embedded.ts'

/*
 * A child process for tests: starts the embedded database with the options in its first argument, reports that in a
 * line of JSON, and exits cleanly on SIGTERM. A failure is its message on stderr and exit code 1.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as EmbeddedOptions
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort(new Error('SIGTERM')))

try {
  const onProgress = (line: string) => console.error(`progress: ${line}`)
  const { url, isNew, notes, stop } = await startEmbedded({ ...options, signal: ending.signal, onProgress })
  console.log(JSON.stringify({ url, isNew, notes }))
  const stayingAlive = setInterval(() => {}, 60_000)
  await new Promise((resolve) => {
    if (ending.signal.aborted) resolve(null)
    ending.signal.addEventListener('abort', resolve)
  })
  clearInterval(stayingAlive)
  await stop()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
