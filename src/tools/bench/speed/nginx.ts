import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../operating/start/testing.ts'
import { atEnd, type Ending } from '../../../testing/at-end.ts'
import { ownHeaders, type RawPage } from './pages.ts'
import type { Server } from './processes.ts'
import { PROGRAMS, type Program } from './programs.ts'

/** Nginx serving pages from files: the nth page is /n. */
export interface FileServer extends Server {
  readonly paths: readonly string[]
}

/** Starts it with this many workers on the pages' own bytes and headers. */
export async function startNginx(
  end: Ending,
  nginx: Program,
  workers: number,
  pages: readonly RawPage[],
): Promise<FileServer> {
  const folder = await mkdtemp(join(PROGRAMS, 'nginx-files-'))
  atEnd(end, () => rm(folder, { recursive: true, force: true }))
  await Promise.all(pages.map((page, number) => writeFile(join(folder, String(number)), page.body)))
  const port = await freePort()
  const settings = join(folder, 'nginx.conf')
  await writeFile(settings, settingsOf({ folder, port, workers, headers: headersOf(pages) }))
  const child = spawn(nginx.path, ['-c', settings, '-p', folder, '-e', 'stderr'], {
    stdio: 'ignore',
    env: { ...process.env, ...nginx.environment },
  })
  const ended = once(child, 'exit')
  atEnd(end, async () => {
    child.kill()
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; (await fetch(`${url}/0`).catch(() => null))?.status !== 200; tries += 1) {
    if (tries > 100) throw new Error(`nginx does not answer on ${url}`)
    await sleep(50)
  }
  return { url, pid: child.pid ?? 0, paths: pages.map((_page, number) => `/${number}`) }
}

/** The same for all pages: a file has no headers of its own. */
function headersOf(pages: readonly RawPage[]): Record<string, string> {
  const [page] = pages
  if (page === undefined) throw new Error('no page to send')
  const { 'content-type': _type, etag: _etag, ...headers } = ownHeaders(page)
  return headers
}

interface Settings {
  readonly folder: string
  readonly port: number
  readonly workers: number
  readonly headers: Readonly<Record<string, string>>
}

function settingsOf({ folder, port, workers, headers }: Settings): string {
  const added = Object.entries(headers).map(([name, value]) => `add_header ${name} ${JSON.stringify(value)};`)
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes ${workers};
    daemon off;
    pid ${folder}/nginx.pid;
    events { worker_connections 1024; }
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000000;
      open_file_cache max=10000;
      client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi;
      scgi_temp_path ${folder}/scgi;
      default_type "text/html; charset=utf-8";
      ${added.join('\n      ')}
      server {
        listen 127.0.0.1:${port};
        root ${folder};
      }
    }`
}
