#!/usr/bin/env node
import { run } from "./run.ts"
import { ignoreClosedOutput } from "./terminal.ts"

ignoreClosedOutput()
process.exitCode = await run(process.argv.slice(2))
