import { join } from 'node:path'
import { writeViewModules } from './compile.ts'

writeViewModules(join(import.meta.dirname, '../../..'))
