import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { keptBackups } from '../backup/regular/files.ts'

/** Room on the disks of DATA_DIR and BACKUP_DIR, and the age of the last complete backup in it. */
export function registerPlaceFigures(app: FastifyInstance, registry: Registry): void {
  const { backups, dataDir } = app.config
  const places = { data: dataDir, ...(backups !== null && { backups: backups.folder }) }
  const free = new Gauge({
    name: 'handup_disk_free_bytes',
    help: 'Free bytes where DATA_DIR (data) and BACKUP_DIR (backups) are',
    labelNames: ['place'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      free.reset()
      for (const [place, folder] of Object.entries(places)) {
        // One that is not there yet is left out.
        const room = await statfs(folder).catch(() => null)
        if (room !== null) free.set({ place }, room.bavail * room.bsize)
      }
    },
  })
  if (backups === null) return
  const age = new Gauge({
    name: 'handup_backup_age_seconds',
    help: 'Age of the last complete backup in BACKUP_DIR; left out while there is none',
    registers: [registry],
    aggregator: 'min',
    async collect() {
      age.reset()
      const kept = await keptBackups(backups.folder).catch(() => [])
      const whole = kept.find(({ isWhole }) => isWhole)
      if (whole === undefined) age.remove()
      else age.set((Date.now() - whole.at) / 1000)
    },
  })
}
