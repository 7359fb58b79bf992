#!/usr/bin/env -S node --disable-sigusr1
import "../common/refuse-debugger.ts"
import { PROGRAMS, runProgram } from "./programs.ts"
import { run } from "./run.ts"
import { ignoreClosedOutput } from "./terminal.ts"

ignoreClosedOutput()
const [first = "", ...rest] = process.argv.slice(2)
process.exitCode = Object.hasOwn(PROGRAMS, first)
  ? await runProgram(first, rest)
  : await run(process.argv.slice(2))
