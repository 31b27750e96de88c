import { runHandup } from './program.ts'

await runHandup(process.argv.slice(2))
