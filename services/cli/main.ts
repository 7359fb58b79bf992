#!/usr/bin/env node
import { run } from "./run.ts"
import { outliveTerminal } from "./terminal.ts"

outliveTerminal()
process.exitCode = await run(process.argv.slice(2))
