import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { connect } from '../../database/connection.ts'
import { useTestServer } from '../../testing/server.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from '../../testing/template.ts'
import { tableTypes } from './types.ts'

const PATH = join(import.meta.dirname, '../../database/tables.ts')

/** `npm run table-types`: writes the types of the tables of a new, migrated database. */
const server = await useTestServer()
const name = await copyTemplate(server.url, await ensureTemplate(server.url))
const db = connect(urlOf(server.url, name))
writeFileSync(PATH, await tableTypes(db))
await db.destroy()
await dropDatabase(server.url, name)
await server.stop()
console.log(`written: ${relative(process.cwd(), PATH)}`)
