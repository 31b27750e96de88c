/**
 * Node's HTTP server and its names of statuses. An `import` of them would load the client of `fetch` as well, which is one of its exports and takes 11 MB.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
