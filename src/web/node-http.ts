/**
 * Node's HTTP server. An `import` of it would load the client of `fetch` as well, which is one of its exports and takes 11 MB.
 */
export const { createServer } = process.getBuiltinModule('node:http')
