import { serve } from '../thread/serve.ts'
import { render } from './pipeline.ts'

serve(render)
