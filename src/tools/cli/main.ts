import { runHandup } from './program.ts'

// As in src/main.ts.
process.umask(process.umask(0o022) | 0o022)
await runHandup(process.argv.slice(2))
