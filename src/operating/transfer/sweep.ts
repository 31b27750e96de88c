export { sweepExports as sweepTransfers } from './asked-export.ts'
