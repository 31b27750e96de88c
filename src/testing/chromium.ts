import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright'
import { runCommand } from './command.ts'

/** Command names of Chromium and browsers based on it. */
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
]
const APPLICATIONS = ['Chromium', 'Google Chrome', 'Microsoft Edge']

/**
 * The Chromium for the tests: CHROMIUM_PATH, playwright's own, or the machine's.
 * @returns null when there is none
 */
export async function findChromium(): Promise<string | null> {
  for (const path of candidates()) if (await runs(path)) return path
  return null
}

/**
 * Installs one: the distribution's where permitted, else playwright's own.
 * @param tell gets a line for each step
 */
export async function installChromium(tell: (line: string) => void): Promise<string | null> {
  if (process.getuid?.() === 0 && (await isInstalled('apt-get'))) {
    tell('No Chromium here: installing Debian’s (apt-get install chromium fonts-noto-cjk)')
    await installByApt(tell)
    const found = await findChromium()
    if (found !== null) return found
  }
  tell('No Chromium here: installing playwright’s (npx playwright install chromium)')
  const cli = join(import.meta.dirname, '../../node_modules/playwright/cli.js')
  const end = await runCommand(process.execPath, [cli, 'install', 'chromium'])
  if (end.code !== 0) tell(reasonIn(end.output))
  return findChromium()
}

async function installByApt(tell: (line: string) => void): Promise<void> {
  const environment = { DEBIAN_FRONTEND: 'noninteractive' }
  const packages = ['chromium', 'fonts-noto-cjk']
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const end = await runCommand('apt-get', args, { environment })
    if (end.code !== 0) tell(`apt-get ${args[0]}: ${reasonIn(end.output)}`)
  }
}

function candidates(): string[] {
  const given = process.env.CHROMIUM_PATH
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [
    ...(given === undefined || given === '' ? [] : [given]),
    chromium.executablePath(),
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  ]
}

/** Checks its version: some systems have a stub of that name which only prints how to install it. */
async function runs(path: string): Promise<boolean> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return exists && (await runCommand(path, ['--version', '--no-sandbox'])).code === 0
}

async function isInstalled(program: string): Promise<boolean> {
  return (await runCommand(program, ['--version'])).code === 0
}

/** The line of a program's output that explains its failure. */
function reasonIn(output: string): string {
  const lines = output.trim().split('\n')
  return lines.find((line) => /^(E:|Error|Failed|error)/.test(line)) ?? lines.at(-1) ?? ''
}
