import type { Database } from '../../database/schema.ts'
import type { FileStore } from '../../forum/pictures/store.ts'
import { sweepFolders } from '../foreign/temporary-folder.ts'
import { sweepExports } from './asked-export.ts'
import { sweepImports } from './brought-import.ts'

/** Removes files that went out of a course or came in, once their day is over. @returns how many */
export async function sweepTransfers(db: Database, store: FileStore): Promise<number> {
  return (await sweepExports(db, store)) + (await sweepImports(db, store)) + (await sweepFolders())
}
