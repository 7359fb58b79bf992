#!/usr/bin/env -S node --disable-sigusr1
import "../common/refuse-debugger.ts"
import { run } from "./run.ts"

process.exitCode = await run(process.argv.slice(2))
