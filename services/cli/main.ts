#!/usr/bin/env -S node --disable-sigusr1
import "../common/refuse-debugger.ts"
import { run } from "./run.ts"
import { ignoreClosedOutput } from "./terminal.ts"

ignoreClosedOutput()
process.exitCode = await run(process.argv.slice(2))
